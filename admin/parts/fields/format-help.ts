import { MAX_FILES, MAX_UNPACKED_BYTES } from '../../../src/catalog/model/asset-rules.ts';
import type { CreativeFormat } from '../../../src/catalog/model/choices.ts';
import { html, type TemplateResult } from 'lit-html';
import { rich, t } from '../../words/texts.ts';

/** Content to start from. */
export const SAMPLES: Readonly<Record<CreativeFormat, string>> = {
  html: '<a href="https://example.com/" target="_blank" rel="noopener">\n  <strong>Walk further this autumn</strong>\n</a>',
  banner: JSON.stringify(
    {
      image: 'https://example.com/banner-300x250.png',
      alt: t`What the picture says`,
      images: [{ url: 'https://example.com/banner-600x500.png', width: 600, height: 500 }],
    },
    undefined,
    2,
  ),
  native: JSON.stringify(
    {
      title: t`Tea that stays hot on the summit`,
      description: t`Steel, one litre, a lifetime of mornings.`,
      brand: t`Hillside Supply`,
      image: 'https://example.com/flask.jpg',
      sponsored: t`Sponsored`,
      offer: t`Free shipping this week`,
    },
    undefined,
    2,
  ),
  video: JSON.stringify(
    {
      duration: 15,
      media: [{ url: 'https://example.com/boots.mp4', type: 'video/mp4', width: 1280, height: 720, bitrate: 2000 }],
      skip_after: 5,
    },
    undefined,
    2,
  ),
  audio: JSON.stringify(
    { duration: 20, media: [{ url: 'https://example.com/boots.mp3', type: 'audio/mpeg', bitrate: 128 }] },
    undefined,
    2,
  ),
};

/** What the writer of a creative should know about its format. */
export const formatHelp = (format: CreativeFormat): TemplateResult => {
  switch (format) {
    case 'html':
      return html`<p>
          ${t`The markup is served unchanged in a sandboxed frame: its scripts and styles run and cannot reach the page around it. Links open a new tab and count as clicks.`}
        </p>
        <p>
          ${rich`An HTML5 ad is a zip with index.html at its top level, at most ${MAX_FILES} files and ${MAX_UNPACKED_BYTES / 1e6} MB unpacked. It states its size in ${html`<code>&lt;meta name="ad.size" content="width=300,height=250"&gt;</code>`} and opens`}
          <code>clickTag</code> ${t`on a click; the creative needs a click address.`}
        </p>
        <p>
          ${rich`A creative reports its own events with ${html`<code>AdSDK_Creative_Event('like')</code>`}. Other types than those of the list that an administrator keeps are not counted.`}
        </p>`;
    case 'banner':
      return html`<p>
          ${t`The service builds an image element. Add the same picture in more sizes, and each screen loads the one that fits its pixels: for 300 × 250, a 600 × 500 picture is sharp on 2× screens.`}
        </p>
        <p>${t`With a click address, the image links to it.`}</p>`;
    case 'native':
      return html`<p>
          ${t`The page receives the assets as JSON and renders them with its own template; the preview uses a plain one. Any asset names are allowed; the common ones have fields here.`}
        </p>
        <p>
          ${rich`A click on an element with ${html`<code>data-ad-event="like"</code>`} in the template of the page reports that event.`}
        </p>`;
    case 'video':
    case 'audio':
      return html`<p>
          ${rich`Players get it as VAST. Name one to twelve files; of an uploaded one only its address, the rest is read from the file. Or name the VAST tag of another server as ${html`<code>tag</code>`}.`}
        </p>
        <p>${t`With a click address, a click on the player leads there.`}</p>`;
  }
};
