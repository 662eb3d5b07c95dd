import { expect, it } from 'vitest';
import { shortAddress, webAddress } from './pages';

it('opens addresses of the web and no others', () => {
  for (const right of ['https://shop.example/chairs', 'HTTP://shop.example'])
    expect(webAddress(right)).toBe(right);
  for (const wrong of [
    'javascript:alert(1)',
    ' javascript:alert(1)//https://shop.example',
    'data:text/html,x',
    'https:///x',
    '/chairs',
    '',
  ])
    expect(webAddress(wrong)).toBeUndefined();
});

it('writes an address without what every address has', () => {
  expect(shortAddress('https://shop.example/')).toBe('shop.example');
  expect(shortAddress('http://shop.example:8080/chairs/oak')).toBe('shop.example:8080/chairs/oak');
});
