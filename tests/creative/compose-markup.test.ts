import fc from 'fast-check';
import type { BannerAssets } from '../../src/catalog/model/entities.ts';
import { composeMarkup, type MarkupContent } from '../../src/creative/compose-markup.ts';
import { tagsOf } from './tags-of.ts';

const SLOT = { width: 300, height: 250 };
const banner = (assets: Partial<BannerAssets>): MarkupContent => ({
  format: 'banner',
  banner: { image: 'https://cdn.example/a.png', alt: '', images: [], ...assets },
});
const imageOf = (assets: Partial<BannerAssets>) =>
  tagsOf(composeMarkup({ content: banner(assets), clickUrl: null }, SLOT)).tags[0]!.attributes;

describe('markup of a creative', () => {
  test('html is unchanged, including macros and scripts', () => {
    const markup = '<script>track("${CLICK_URL}")</script>\r\n<b>é';
    expect(composeMarkup({ content: { format: 'html', markup }, clickUrl: 'https://a.example/' }, SLOT)).toBe(markup);
  });

  test('in html, the paths of uploaded files alone become absolute', () => {
    const [picture, page] = [`/static/assets/${'a'.repeat(64)}.png`, `/static/assets/${'b'.repeat(64)}/index.html`];
    const addresses = { service: 'https://ads.example', pictures: 'https://cdn.example', html5: 'https://creatives.example' };
    const shown = (markup: string): string => composeMarkup({ content: { format: 'html', markup }, clickUrl: null }, SLOT, addresses);
    expect(shown(`<img src="${picture}" srcset='${picture} 1x,${picture} 2x'><b style="background:url(${picture})">`)).toBe(
      `<img src="https://cdn.example${picture}" srcset='https://cdn.example${picture} 1x,https://cdn.example${picture} 2x'>` +
        `<b style="background:url(https://cdn.example${picture})">`,
    );
    expect(shown(`<iframe src=${page}#clickTag=\${CLICK_URL_ENC}>`)).toBe(
      `<iframe src=https://creatives.example${page}#clickTag=\${CLICK_URL_ENC}>`,
    );
    for (const markup of [
      `<img src="https://other.example${picture}">`,
      '<img src="/static/assets/x.png">',
      '<a href="/img/x.png">',
      `${picture}`,
    ])
      expect(shown(markup)).toBe(markup);
  });

  test('native is the JSON text of its assets in the order they were stored', () => {
    const assets = { title: 'A', image: { url: 'https://a.example/i.png', w: 1, h: 2 }, '</script>': null };
    expect(composeMarkup({ content: { format: 'native', assets }, clickUrl: null }, SLOT)).toBe(JSON.stringify(assets));
  });

  test('a banner is one image with a srcset by width, the default image being of the requested size', () => {
    const images = [
      { url: 'https://cdn.example/a@3x.png', width: 900, height: 750 },
      { url: 'https://cdn.example/a@2x.png', width: 600, height: 500 },
    ];
    expect(composeMarkup({ content: banner({ alt: 'Shoes', images }), clickUrl: null }, SLOT)).toBe(
      '<img src="https://cdn.example/a.png"' +
        ' srcset="https://cdn.example/a.png 300w, https://cdn.example/a@2x.png 600w, https://cdn.example/a@3x.png 900w"' +
        ' sizes="(max-width: 300px) 100vw, 300px" alt="Shoes" width="300" height="250" style="display:block;max-width:100%;height:auto;border:0">',
    );
  });

  test('without described images there is no srcset', () => {
    expect(imageOf({})).not.toHaveProperty('srcset');
  });

  test('images of other proportions are left out when any image fits', () => {
    const images = [
      { url: '/wide.png', width: 728, height: 90 },
      { url: '/fit.png', width: 600, height: 500 },
    ];
    expect(imageOf({ images }).srcset).toBe('https://cdn.example/a.png 300w, /fit.png 600w');
    expect(imageOf({ images: images.slice(0, 1) }).srcset).toBe('https://cdn.example/a.png 300w, /wide.png 728w');
  });

  test('a described default image is not listed a second time, and no width twice', () => {
    const images = [
      { url: 'https://cdn.example/a.png', width: 600, height: 500 },
      { url: '/same-width.png', width: 600, height: 500 },
    ];
    expect(imageOf({ images }).srcset).toBe('https://cdn.example/a.png 600w');
  });

  test('a comma inside a URL is kept, one at its end is encoded', () => {
    expect(imageOf({ images: [{ url: '/w_600,h_500,', width: 600, height: 500 }] }).srcset).toContain('/w_600,h_500%2C 600w');
  });

  test('a click URL wraps the image in a link to itself, in a new tab without opener or referrer', () => {
    const { tags } = tagsOf(composeMarkup({ content: banner({}), clickUrl: 'https://shop.example/?a=1&b=2' }, SLOT));
    expect(tags.map(({ name }) => name)).toEqual(['a', 'img', '/a']);
    expect(tags[0]!.attributes).toEqual({ href: 'https://shop.example/?a=1&b=2', target: '_blank', rel: 'noopener noreferrer sponsored' });
  });

  test('a click URL that could run a script gives no link', () => {
    expect(composeMarkup({ content: banner({}), clickUrl: 'javascript:alert(1)' }, SLOT)).not.toContain('<a');
  });

  test('no text of a creative adds an element or an attribute', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('"', "'", '<', '>', '&', '=', ' ', '\n', '`', '/', '-->', '</a>', '<script>', 'onerror=', '&quot;', '\0'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (image, alt, url, path) => {
        const content = banner({ image, alt, images: [{ url, width: 600, height: 500 }] });
        const { tags, text } = tagsOf(composeMarkup({ content, clickUrl: `https://a.example/${path}` }, SLOT));
        expect(text).toBe('');
        const names = tags.map(({ name }) => name).join(' ');
        expect(['img', 'a img /a']).toContain(names);
        const img = tags.find(({ name }) => name === 'img')!.attributes;
        expect(Object.keys(img).sort()).toEqual(['alt', 'height', 'sizes', 'src', 'srcset', 'style', 'width']);
        expect(img.alt).toBe(alt.replaceAll('\0', ''));
        expect(img.src).toBe(image.replaceAll('\0', ''));
      }),
      { numRuns: 1_000 },
    );
  });
});
