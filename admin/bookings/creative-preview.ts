import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { PAGE_DEVICES, PAGE_SCHEMES, type PageDevice, type PageScheme } from '../../src/catalog/model/page-views.ts';
import type { Slot } from '../../src/creative/compose-markup.ts';
import { placeOnPage } from '../../src/creative/place-on-page.ts';
import type { PlacementWire } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { select } from '../parts/select.ts';
import { assetsOf } from '../parts/fields/content-assets.ts';
import type { LiveAd } from '../parts/preview/live-ad.ts';
import { openInTab, type LivePageState } from '../parts/preview/live-page.ts';
import '../parts/preview/page-preview.ts';
import { atDensity, previewCreative, servedMarkup } from '../parts/preview/preview-document.ts';
import { pictureNotes, sizeNotes } from '../words/asset-words.ts';
import { linkTo } from '../words/kinds.ts';
import { DEVICE_WORDS, SCHEME_WORDS, VIEW_WORDS } from '../words/page-view-words.ts';
import { t } from '../words/texts.ts';
import type { Form } from './forms/form.ts';
import { listOf, numberOf, textOf, textOrNull } from './forms/typed-text.ts';

/** Alone, or on the page of a placement. */
type Look = 'alone' | PageDevice;

interface PreviewLook {
  readonly look: Look;
  readonly scheme: PageScheme;
  /** On the page itself, and not on its picture. */
  readonly isLive: boolean;
  readonly state: LivePageState;
  /** The size of which placement is shown; undefined: of the first. */
  readonly placement: string | undefined;
}

/** A creative as its form has it, alone or on the page of one of its placements, at the size that it has there. */
export const createCreativePreview = (page: Page, form: Form): (() => TemplateResult) => {
  let shown: PreviewLook = { look: 'alone', scheme: 'light', isLive: false, state: 'loading', placement: undefined };
  const choose = (part: Partial<PreviewLook>): void => {
    shown = { ...shown, ...part };
    page.redraw();
  };
  return () => previewCard(page, form, shown, choose);
};

const previewCard = (page: Page, form: Form, shown: PreviewLook, choose: (part: Partial<PreviewLook>) => void): TemplateResult => {
  const placements = listOf(form.read('/placement_ids')).flatMap((id) => page.store.find('placements', id) ?? []);
  const sideOf = (name: 'width' | 'height'): number | null => {
    const side = numberOf(form.read(`/${name}`));
    return typeof side === 'number' && side > 0 && side <= 4096 ? side : null;
  };
  const [width, height] = [sideOf('width'), sideOf('height')];
  const placement = placements.find(({ id }) => id === shown.placement) ?? placements[0];
  const slot: Slot = { width: width ?? placement?.width ?? 300, height: height ?? placement?.height ?? 250 };
  const format = textOf(form.read('/format'));
  const preview = previewCreative(format, textOf(form.read('/content')), textOrNull(form.read('/click_url')), slot);
  const isBanner = format === 'banner';
  const pictures = isBanner ? [assetsOf(form.read('/content'))?.['images'] ?? []].flat() : [];
  const notes = [...sizeNotes(width, height, placements), ...pictureNotes(pictures, placements)];
  const figure = (markup: string, density: number): TemplateResult =>
    html`<figure class="preview">
      <figcaption>
        ${slot.width} × ${slot.height}${isBanner ? t` on a ${density}× screen` : ''}${format === 'native' ? t`, in a sample template` : ''}
      </figcaption>
      <ad-preview
        class="preview-frame"
        .ad=${{ ...slot, markup: atDensity(markup, density, slot), title: t`Preview of the creative${isBanner ? `, ${density}×` : ''}`, namesPicture: isBanner }}
      ></ad-preview>
    </figure>`;
  const onPage = (markup: string, device: PageDevice): TemplateResult => {
    const { scheme } = shown;
    const ad = { ...slot, markup, title: t`Preview of the creative` };
    const place = placement && placeOnPage(placement, device, scheme);
    return html`<figure class="preview">
      <figcaption>
        ${slot.width} × ${slot.height},
        ${placement ? `${placement.id}, ` : nothing}${VIEW_WORDS[device][scheme]}${place ? nothing : t`, on a sketch: its placement has no such picture of its page`}
      </figcaption>
      <page-preview class="preview-page ${device}" .shown=${{ ad, device, scheme, place }}></page-preview>
    </figure>`;
  };
  const served = servedMarkup(format, textOf(form.read('/content')), textOrNull(form.read('/click_url')), slot);
  const onSite: LiveAd | undefined =
    placement?.page_url && served !== undefined
      ? { url: placement.page_url, placement: placement.id, adm: served, ...slot, title: t`The page with the creative` }
      : undefined;
  const onLivePage = (ad: LiveAd, device: PageDevice): TemplateResult => {
    const { scheme, state } = shown;
    const onState = (now: LivePageState): void => choose({ state: now });
    return html`<figure class="preview">
      <figcaption>${slot.width} × ${slot.height}, ${ad.placement}, ${VIEW_WORDS[device][scheme]}</figcaption>
      <live-page class="preview-page ${device}" .shown=${{ ad, device, scheme, onState }}></live-page>
      <p class="help" role="status">${LIVE_WORDS[state]} ${button(t`Open it in a tab`, () => openInTab(ad), 'quiet')}</p>
    </figure>`;
  };
  const figures = (markup: string): readonly TemplateResult[] => {
    if (shown.look !== 'alone') return [onSite && shown.isLive ? onLivePage(onSite, shown.look) : onPage(markup, shown.look)];
    return (isBanner ? [1, 2] : [1]).map((density) => figure(markup, density));
  };
  return card(
    t`Preview`,
    html`${lookControls(shown, placements, onSite !== undefined, choose)}
      ${preview.ok ? figures(preview.markup) : html`<p class="empty-preview">${preview.reason}</p>`}
      ${notes.map((note) => html`<p class="size-note">${note}</p>`)}
      ${
        shown.look !== 'alone' && placement && !placement.page_url && format !== 'video' && format !== 'audio'
          ? html`<p class="help">
              ${t`To see it on the page itself:`}
              <a href=${linkTo('placements', placement.id)}>${t`name a page that shows ${placement.id}`}</a>.
            </p>`
          : nothing
      }
      <p class="help">${t`Runs in a sandbox: the creative’s scripts and styles work and cannot reach this page.`}</p>`,
  );
};

const LIVE_WORDS: Readonly<Record<LivePageState, string>> = {
  loading: t`The page is loaded with the ad in its slot …`,
  shown: t`The page shows the ad in its slot. Nothing is counted.`,
  silent: t`The page has not asked for the ad: it may forbid frames, or have no script tag of this placement.`,
};

const lookControls = (
  shown: PreviewLook,
  placements: readonly PlacementWire[],
  hasLive: boolean,
  write: (part: Partial<PreviewLook>) => void,
): TemplateResult => {
  const choice = <T extends string>(name: string, words: string, value: T, now: T, take: () => void): TemplateResult =>
    html`<label class="segment"
      ><input type="radio" name="preview-${name}" value=${value} .checked=${live(value === now)} @change=${take} /><span
        >${words}</span
      ></label
    >`;
  return html`<div class="preview-looks">
    <fieldset class="segments">
      <legend class="unseen">${t`How it is shown`}</legend>
      ${choice<Look>('look', t`Alone`, 'alone', shown.look, () => write({ look: 'alone' }))}
      ${PAGE_DEVICES.map((device) => choice<Look>('look', DEVICE_WORDS[device], device, shown.look, () => write({ look: device })))}
    </fieldset>
    ${
      shown.look === 'alone'
        ? nothing
        : html`<fieldset class="segments">
            <legend class="unseen">${t`Colours of the page`}</legend>
            ${PAGE_SCHEMES.map((scheme) => choice('scheme', SCHEME_WORDS[scheme], scheme, shown.scheme, () => write({ scheme })))}
          </fieldset>`
    }
    ${
      shown.look === 'alone' || !hasLive
        ? nothing
        : html`<fieldset class="segments">
            <legend class="unseen">${t`What is behind it`}</legend>
            ${choice('behind', t`Picture`, 'picture', shown.isLive ? 'page' : 'picture', () => write({ isLive: false }))}
            ${choice('behind', t`The page itself`, 'page', shown.isLive ? 'page' : 'picture', () => write({ isLive: true, state: 'loading' }))}
          </fieldset>`
    }
    ${
      placements.length > 1
        ? select(
            t`Placement of the preview`,
            shown.placement ?? '',
            placements.map(({ id, width, height }) => [id, `${id}, ${width} × ${height}`]),
            (placement) => write({ placement }),
          )
        : nothing
    }
  </div>`;
};
