import { html, type TemplateResult } from 'lit-html';

export const SAMPLES: Readonly<Record<string, string>> = {
  html: '<a href="https://example.com/" target="_blank" rel="noopener">\n  <strong>Walk further this autumn</strong>\n</a>',
  banner: JSON.stringify(
    {
      image: 'https://example.com/banner-300x250.png',
      alt: 'What the picture says',
      images: [{ url: 'https://example.com/banner-600x500.png', width: 600, height: 500 }],
    },
    undefined,
    2,
  ),
  native: JSON.stringify(
    {
      title: 'Tea that stays hot on the summit',
      description: 'Steel, one litre, a lifetime of mornings.',
      brand: 'Hillside Supply',
      image: 'https://example.com/flask.jpg',
      sponsored: 'Sponsored',
      offer: 'Free shipping this week',
    },
    undefined,
    2,
  ),
};

/** What each format is, for whoever writes one. */
export const formatHelp = (format: string): TemplateResult => {
  if (format === 'html') {
    return html`<p>
        The markup is served unchanged and shown in a sandboxed frame: its scripts and styles run, and cannot reach the page around it.
        Links open a new tab and count as clicks.
      </p>
      <p>
        To report an event of its own, a creative calls <code>AdSDK_Creative_Event('like')</code>. Which types are allowed is a setting of
        the service (<code>ALLOWED_EVENTS</code>).
      </p>`;
  }
  if (format === 'banner') {
    return html`<p>
        The service composes an image element from this. Add the same picture in more sizes, and each screen loads the one that suits its
        pixels: for a 300 × 250 slot, 600 × 500 is the sharp one for 2× screens.
      </p>
      <p>With a click address the image becomes a link to it.</p>`;
  }
  return html`<p>
      The assets are handed to the page as JSON, and the page renders them with its own template; the preview uses a plain one. Any names
      are allowed; those with fields here are the usual ones.
    </p>
    <p>An element with <code>data-ad-event="like"</code> in the page’s template reports that event when it is clicked.</p>`;
};
