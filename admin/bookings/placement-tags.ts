import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page } from '../page.ts';
import { breakLine } from '../parts/break-line.ts';
import { button, card } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import type { PlacementWire, PublisherWire } from '../api/wire.ts';
import { t } from '../words/texts.ts';

/** The address of the service, with the prefix of a reverse proxy. */
const serviceAddress = (): string => location.href.replace(/\/static\/.*$/s, '');

const attribute = (text: string): string => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');

/** By id where that is enough: a publisher that lists its origins. The key itself is not stored. */
const callerOf = ({ id, origins }: PublisherWire): readonly [name: string, value: string] =>
  origins.length > 0 ? ['publisher', String(id)] : ['key', 'YOUR_API_KEY'];

const addressOf = (kind: string, placement: PlacementWire, publisher: PublisherWire, recipient: string): string => {
  const [caller, value] = callerOf(publisher);
  const query = new URLSearchParams({ [caller]: value, placement: placement.id });
  return attribute(`${serviceAddress()}/tag/${kind}?${query.toString()}${recipient}`);
};

const scriptTag = ({ id, width, height }: PlacementWire, publisher: PublisherWire): string =>
  `<script async src="${attribute(serviceAddress())}/static/sdk/adsdk-loader.min.js"
  data-api-key="YOUR_API_KEY" data-publisher-id="${publisher.id}"></script>
<div data-adsdk-slot="${attribute(id)}" data-sizes="${width}x${height}" style="min-height:${height}px"></div>`;

const frameTag = (placement: PlacementWire, publisher: PublisherWire): string =>
  `<iframe src="${addressOf('iframe', placement, publisher, '')}"
  width="${placement.width}" height="${placement.height}" title="Advertisement" style="border:0" scrolling="no" loading="lazy"></iframe>`;

const mailTag = (placement: PlacementWire, publisher: PublisherWire): string => {
  const recipient = '&n={{recipient}}';
  return `<a href="${addressOf('click', placement, publisher, recipient)}">
  <img src="${addressOf('image', placement, publisher, recipient)}"
    width="${placement.width}" height="${placement.height}" alt="Advertisement" style="border:0"></a>`;
};

/** For players, which fill in the macros of VAST. */
const playerTag = (door: 'vast' | 'vmap', placement: PlacementWire, publisher: PublisherWire): string => {
  const [caller, value] = publisher.origins.length > 0 ? ['publisher_id', String(publisher.id)] : ['key', 'YOUR_API_KEY'];
  const query = new URLSearchParams({ [caller]: value, placement: placement.id }).toString();
  return `${serviceAddress()}/${door}?${query}&page=[PAGEURL]&n=[IFA]&gdpr_consent=[GDPRCONSENT]&gpp=[GPPSTRING]&gpp_sid=[GPPSECTIONID]&cb=[CACHEBUSTING]`;
};

interface Tag {
  readonly title: string;
  readonly help: string;
  readonly text: string;
  readonly picture?: TemplateResult | symbol;
}

/** Of a film with breaks. */
const vmapTags = (placement: PlacementWire, publisher: PublisherWire): readonly Tag[] => {
  const tag: Tag = {
    title: t`VMAP`,
    help: t`For players of films with breaks: it names the breaks of this placement, and each asks for its ads when it comes.`,
    text: playerTag('vmap', placement, publisher),
    picture: breakLine(placement.video),
  };
  return (placement.video?.breaks ?? []).length === 0 ? [] : [tag];
};

const tagsOf = (placement: PlacementWire, publisher: PublisherWire): readonly Tag[] => {
  const shows = (...formats: readonly PlacementWire['formats'][number][]): boolean =>
    formats.some((one) => placement.formats.includes(one));
  if (shows('video', 'audio'))
    return [
      {
        title: t`VAST`,
        help: t`For players of any kind, as the tag or VAST URL of the ad. The player fills in what is in brackets; a macro that it does not know counts as absent.`,
        text: playerTag('vast', placement, publisher),
      },
      ...vmapTags(placement, publisher),
    ];
  return [
    {
      title: t`Script`,
      help: t`For web pages: measures what is seen, and passes the consent of the page on.`,
      text: scriptTag(placement, publisher),
    },
    ...(shows('html', 'banner')
      ? [{ title: t`Frame`, help: t`For pages that take no script of another site.`, text: frameTag(placement, publisher) }]
      : []),
    ...(shows('banner')
      ? [
          {
            title: t`E-mail`,
            help: t`An image with a link, without a script. Put the mailing’s macro for a stable, hashed name of the recipient in place of {{recipient}}.`,
            text: mailTag(placement, publisher),
          },
        ]
      : []),
  ];
};

/** The tags of a placement, each with a button that copies it. */
export const placementTags = (page: Page, placement: PlacementWire, publisher: PublisherWire | undefined): TemplateResult =>
  card(
    t`Tags`,
    html`${
        publisher
          ? tagsOf(placement, publisher).map(
              ({ title, help, text, picture = nothing }, index) =>
                html`<details ?open=${index === 0}>
                  <summary>${title}</summary>
                  <p>${help}</p>
                  ${picture}
                  <pre class="code" tabindex="0" aria-label=${t`${title} tag`}>${text}</pre>
                  ${button(t`Copy`, () => copy(page, title, text), 'secondary', t`Copy the ${title} tag`)}
                </details>`,
            )
          : html`<p>${t`Add a publisher first: every tag names one.`}</p>`
      }
      ${publisher && callerOf(publisher)[0] === 'key' ? html`<p class="help">${t`Put the API key of ${publisher.name} in place of YOUR_API_KEY. Frames and e-mails need no key once the publisher lists its web origins.`}</p>` : nothing}
      <p>
        <a href=${hashOf(['test'], { placement_id: placement.id })}
          >${placement.formats.some((format) => format === 'video' || format === 'audio') ? t`Play an ad of this placement, without counting it` : t`Test an ad on this placement`}</a
        >
      </p>`,
  );

const copy = async ({ toast }: Page, title: string, text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
    toast(t`The ${title} tag was copied.`);
  } catch {
    // Denied, or the page is not served over https.
    toast(t`The browser did not allow to copy. Select the text instead.`, { tone: 'bad' });
  }
};
