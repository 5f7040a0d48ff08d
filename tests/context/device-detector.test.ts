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
  ])('%s is %s', (userAgent, device, spider) => {
    expect(detect(userAgent)).toMatchObject({ device, spider });
    expect(detect(userAgent)).toMatchObject({ device, spider });
  });

  test('a user agent is read up to its 512th character', () => {
    expect(detect(WINDOWS + ' '.repeat(600) + 'Googlebot')).toMatchObject({ device: 'desktop', spider: false });
  });

  test.each([
    ['Chrome', WINDOWS, 'Mozilla/ AppleWebKit/ Chrome/ Safari/'],
    ['Safari', IPAD, 'Mozilla/ AppleWebKit/ Version/ Mobile/ Safari/'],
    [
      'Chrome',
      'Mozilla/5.0 (Linux; Android 15; CPH2557 Build/AP3A.240617.008; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.7444.142 Mobile Safari/537.36 Instagram 406.0.0.58.159 Android (35/15; 480dpi)',
      'Mozilla/ Build/ AppleWebKit/ Version/ Chrome/ Mobile Safari/ Instagram Android',
    ],
  ])('of a person’s %s neither device nor versions may be kept, and no list names a spider', (browser, userAgent, agent) => {
    expect(detect(userAgent)).toMatchObject({ spider: false, malformed: false, browser, agent });
    expect(detect(agent).spider).toBe(false);
  });

  test.each([
    GOOGLEBOT,
    'python-requests/2.32.3',
    'curl/8.5.0',
    'node',
    'HeadlessChrome/140.0.0.0',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/117.0.0.0 Safari/537.36 GTmetrix',
  ])('%s is a spider, and what is kept of it still shows that', (userAgent) => {
    const { spider, browser, agent } = detect(userAgent);
    expect([spider, browser, detect(agent ?? '').spider]).toEqual([true, null, true]);
  });

  test.each(['', '-', '""', 'User-Agent: Mozilla/5.0 (X11)', '(compatible)', '5.0'])('%j is malformed', (userAgent) => {
    expect(detect(userAgent).malformed).toBe(true);
  });

  test('a client that lists judge differently without its details is not kept', () => {
    expect(detect('Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8)')).toMatchObject({ spider: false, malformed: false, agent: null });
  });

  test('does not throw for any user agent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (userAgent) => {
        expect([null, 'mobile', 'desktop', 'tablet']).toContain(detect(userAgent).device);
      }),
    );
  });
});
