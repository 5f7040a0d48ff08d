import { deviceWords } from '../../src/people/sessions/device-words.ts';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    'Chrome on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
    'Microsoft Edge on Windows',
  ],
  ['', 'Unknown browser'],
  ['  ', 'Unknown browser'],
  ['curl/8.5.0', 'Unknown browser'],
  ['<b>', 'Unknown browser'],
])('a session is named by its browser and system: %s', (userAgent, words) => {
  expect(deviceWords(userAgent)).toBe(words);
});
