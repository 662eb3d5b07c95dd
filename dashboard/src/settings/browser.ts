/** Browsers that name others in what they send come first. */
const BROWSERS: Array<[RegExp, string]> = [
  [/Edg(?:e|A|iOS)?\/\d/, 'Edge'],
  [/OPR\/\d/, 'Opera'],
  [/SamsungBrowser\/\d/, 'Samsung Internet'],
  [/(?:Firefox|FxiOS)\/\d/, 'Firefox'],
  [/(?:Chrome|CriOS)\/\d/, 'Chrome'],
  [/Version\/\d.*Safari\//, 'Safari'],
];
const SYSTEMS: Array<[RegExp, string]> = [
  [/Android/, 'Android'],
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** "Chrome, Linux" from what a browser sends about itself; that itself when it is not known. */
export function browserName(userAgent: string): string {
  const first = (known: Array<[RegExp, string]>) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = first(BROWSERS);
  if (!browser) return userAgent;
  return [browser, first(SYSTEMS)].filter(Boolean).join(', ');
}
