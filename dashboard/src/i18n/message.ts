/** A message is text with `{placeholders}`, or one text per plural form of `{count}`. */
export type Message = string | Plural;
export type Plural = { readonly one: string; readonly other: string } & {
  readonly [form in 'zero' | 'two' | 'few' | 'many']?: string;
};

type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type NamesOf<M> = M extends string
  ? Names<M>
  : M extends { other: infer O extends string }
    ? Names<O> | 'count'
    : never;

/** The arguments that a message needs: none, or a value for each placeholder. */
export type Arguments<M> = [NamesOf<M>] extends [never] ? [] : [values: Record<NamesOf<M>, string | number>];

/** A catalogue in another language: the same keys, plural where the original is. */
export type Translation<C> = { readonly [K in keyof C]: C[K] extends string ? string : Plural };

type Loaders = { readonly [feature: string]: () => Promise<object> };
/** The texts of every feature, as one catalogue. A key that two features have makes it `never`. */
export type Merged<L extends Loaders> = Intersection<Awaited<ReturnType<L[keyof L]>>>;
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void
  ? I
  : never;

/** The same features in another language. */
export type Translations<L extends Loaders> = {
  readonly [F in keyof L]: () => Promise<Translation<Awaited<ReturnType<L[F]>>>>;
};

export function format(
  message: Message,
  values: Record<string, string | number> | undefined,
  locale: string,
): string {
  const text = typeof message === 'string' ? message : plural(message, Number(values?.count), locale);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values?.[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? value.toLocaleString(locale) : value;
  });
}

function plural(message: Plural, count: number, locale: string): string {
  return message[new Intl.PluralRules(locale).select(count)] ?? message.other;
}
