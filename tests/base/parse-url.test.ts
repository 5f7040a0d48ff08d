import { parseUrl } from '../../src/base/parse-url.ts';

test('a URL with Latin-1 characters is parsed, also after many other URLs', () => {
  for (let i = 0; i < 200_000; i++) parseUrl(`https://news.example/${i}`);
  expect(parseUrl('https://zeitung-münchen.example/straße')?.href).toBe('https://xn--zeitung-mnchen-osb.example/stra%C3%9Fe');
});

test('a text that is no absolute URL gives undefined', () => {
  expect(['', '/path', 'https://', 'http://a b/'].map(parseUrl)).toEqual([undefined, undefined, undefined, undefined]);
});
