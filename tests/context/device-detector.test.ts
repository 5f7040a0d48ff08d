import fc from 'fast-check';
import { createDeviceDetector } from '../../src/context/device-detector.ts';

const ANDROID = 'Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const IPAD =
  'Mozilla/5.0 (iPad; CPU OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.5 Mobile/15E148 Safari/604.1';
const TELEVISION = 'Mozilla/5.0 (SMART-TV; Linux; Tizen 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/5.0 TV Safari/537.36';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('device detector', () => {
  const detect = createDeviceDetector({ cacheSize: 3 });

  test.each([
    [ANDROID, 'mobile', false],
    [WINDOWS, 'desktop', false],
    [IPAD, 'tablet', false],
    [TELEVISION, null, false],
    [GOOGLEBOT, null, true],
    ['', null, false],
  ])('%s is %s', (userAgent, device, bot) => {
    expect(detect(userAgent)).toEqual({ device, bot });
    expect(detect(userAgent)).toEqual({ device, bot });
  });

  test('a user agent is read up to its 512th character', () => {
    expect(detect(WINDOWS + ' '.repeat(600) + 'Googlebot')).toEqual({ device: 'desktop', bot: false });
  });

  test('does not throw for any user agent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (userAgent) => {
        expect([null, 'mobile', 'desktop', 'tablet']).toContain(detect(userAgent).device);
      }),
    );
  });
});
