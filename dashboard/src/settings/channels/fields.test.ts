import { describe, expect, it } from 'vitest';
import { checkField, FIELDS, type FieldName, isWrong, newVerifyToken } from './fields';

const found = (name: FieldName, value: string, others = {}) => checkField(name, { ...others, [name]: value });

describe('an ID', () => {
  it('is a number of 12 to 20 digits', () => {
    expect(found('phone_number_id', '106540352242922')).toBeNull();
    expect(found('waba_id', ' 102290129340398 ')).toBeNull();
    expect(found('page_id', '12')).toEqual({ kind: 'unusual', text: 'connectCheck.idLength' });
    expect(found('page_id', 'my-page')).toEqual({ kind: 'wrong', text: 'connectCheck.digits' });
  });

  it.each(['+4915112345678', '0151 12345678', '(0151) 123', '151-123-456'])(
    'is not the phone number %s',
    (value) => {
      expect(found('phone_number_id', value)).toEqual({ kind: 'wrong', text: 'connectCheck.phoneNumber' });
    },
  );

  it('of the business account is not that of the number', () => {
    const id = '106540352242922';
    expect(found('waba_id', id, { phone_number_id: id })).toEqual({
      kind: 'wrong',
      text: 'connectCheck.sameId',
    });
  });
});

describe('a secret', () => {
  it('is pasted whole, without spaces', () => {
    expect(found('access_token', `EAA${'x'.repeat(120)}`)).toBeNull();
    expect(found('access_token', `EAA${'x'.repeat(60)} ${'x'.repeat(60)}`)?.kind).toBe('wrong');
    expect(found('access_token', 'EAAshort')).toEqual({ kind: 'unusual', text: 'connectCheck.tokenShort' });
    expect(found('access_token', 'x'.repeat(120))?.text).toBe('connectCheck.tokenStart');
    expect(found('app_secret', 'a1b2'.repeat(8))).toBeNull();
    expect(found('app_secret', 'not-a-secret')?.kind).toBe('unusual');
  });

  it('is not entered twice', () => {
    const secret = 'a1b2'.repeat(8);
    expect(found('access_token', secret, { app_secret: secret })?.text).toBe('connectCheck.sameSecret');
  });
});

it('says nothing of what is still empty', () => {
  for (const { name } of FIELDS.whatsapp) expect(checkField(name, {})).toBeNull();
});

it('holds back only what is surely wrong', () => {
  expect(isWrong('whatsapp', { phone_number_id: '+49151' })).toBe(true);
  expect(isWrong('whatsapp', { phone_number_id: '1', app_secret: 'x' })).toBe(false);
});

it('makes verify tokens that pass its own check', () => {
  const token = newVerifyToken();
  expect(found('verify_token', token)).toBeNull();
  expect(newVerifyToken(new Uint8Array([0, 255]))).toBe('00ff');
});
