import { html, type TemplateResult } from 'lit-html';
import { RENDERINGS } from '../../../src/catalog/model/video-ad.ts';
import { fileField } from '../../assets/file-field.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { numberOf, textOf } from '../../bookings/forms/typed-text.ts';
import type { Page } from '../../page.ts';
import { assetPath } from '../../words/asset-words.ts';
import { RENDERING_WORDS } from '../../words/player-words.ts';
import { t } from '../../words/texts.ts';
import { button } from '../parts.ts';
import { select, type Choices } from '../select.ts';
import { assetsForm } from './assets-form.ts';
import { assetsOf, withAsset, type Assets } from './content-assets.ts';
import { contentList, type ContentList, type ContentRow } from './content-list.ts';
import { input, smallField, type InputOptions } from './input.ts';
import { textField } from './text-field.ts';

/** What it edits of the content. */
export const EXTRA_ASSETS = ['companions', 'icons', 'verifications', 'universal_ad_id', 'interactive'] as const;

/** What comes with a video or a sound: companions, of which one may be its end card, icons, measurement, and interaction. */
export const playerExtras = (form: Form, page: Page, assets: Assets): TemplateResult => {
  const list = (name: (typeof EXTRA_ASSETS)[number]): ContentList => contentList(form, name);
  const [companions, icons, scripts] = [list('companions'), list('icons'), list('verifications')];
  const others = ['universal_ad_id', 'interactive'].some((name) => name in assets);
  return html`
    <details class="wide" ?open=${companions.rows.length > 0}>
      <summary>${t`Companions and end card`}</summary>
      <p class="help">${t`Shown beside the player, or over it at the end, where the player can. They come and go with it.`}</p>
      ${fileField(form, page, {
        name: 'companion',
        what: t`a picture`,
        accepts: 'pictures',
        onStored: (asset) => companions.add({ width: asset.width, height: asset.height, image: assetPath(asset) }),
      })}
      ${companions.rows.map((row, at) => companionRow(companions, row, at))}
      ${button(t`+ Add a companion`, () => companions.add({ width: 300, height: 250, image: '' }), 'quiet')}
    </details>
    <details class="wide" ?open=${icons.rows.length > 0}>
      <summary>${t`Icons over the picture, such as AdChoices`}</summary>
      ${fileField(form, page, {
        name: 'icon',
        what: t`an icon`,
        accepts: 'pictures',
        onStored: (asset) => icons.add({ ...NEW_ICON, width: asset.width, height: asset.height, image: assetPath(asset) }),
      })}
      ${icons.rows.map((row, at) => iconRow(icons, row, at))}
      ${button(t`+ Add an icon`, () => icons.add({ ...NEW_ICON, image: '' }), 'quiet')}
    </details>
    <details class="wide" ?open=${scripts.rows.length > 0 || others}>
      <summary>${t`Measurement, interaction and the universal ad id`}</summary>
      ${scripts.rows.map((row, at) => scriptRow(scripts, row, at))}
      ${button(t`+ Add a measuring script (OMID)`, () => scripts.add({ vendor: '', script: '' }), 'quiet')}
      ${textField(assetsForm(form), { pointer: '/interactive', label: t`Interactive creative (SIMID)`, inputMode: 'url', placeholder: 'https://…' })}
      <div class="extra">${adId(form, assets)}</div>
    </details>
  `;
};

const NEW_ICON = { program: 'AdChoices', width: 20, height: 20 };

/** Inputs for the values of one row, and the button that removes it. */
const rowFields = ({ change, remove }: ContentList, row: ContentRow, at: number) => {
  /** An empty text leaves the value out. */
  const text = (name: string, label: string, options: Partial<InputOptions> = {}, valueOf = (typed: string): unknown => typed) =>
    smallField(
      label,
      input({
        ...options,
        value: textOf(row[name]),
        onChange: (typed) => change(at, { [name]: typed === '' ? undefined : valueOf(typed) }),
      }),
    );
  const pixels = (name: string, label: string) => text(name, label, { inputMode: 'numeric' }, (typed) => numberOf(typed) ?? typed);
  return {
    text,
    pixels,
    address: (name: string, label: string) => text(name, label, { inputMode: 'url', placeholder: 'https://…' }),
    removal: (label: string): TemplateResult => button('×', () => remove(at), 'quiet icon-button extra-removal', label),
  };
};

const KINDS = [
  { value: 'image', words: t`a picture`, address: t`Address of the picture` },
  { value: 'frame', words: t`a page in a frame`, address: t`Address of the page` },
  { value: 'html', words: t`markup`, address: t`Markup` },
] as const;
const KIND_CHOICES: Choices = KINDS.map(({ value, words }) => [value, words]);
const RENDERING_CHOICES: Choices = RENDERINGS.map((rendering) => [rendering, RENDERING_WORDS[rendering]]);

const choice = (label: string, value: string, choices: Choices, onChange: (value: string) => void): TemplateResult =>
  smallField(label, select(label, value, choices, onChange));

const companionRow = (list: ContentList, row: ContentRow, at: number): TemplateResult => {
  const { text, pixels, address, removal } = rowFields(list, row, at);
  const kind = KINDS.find(({ value }) => value in row) ?? KINDS[0];
  return html`<div class="extra" role="group" aria-label=${t`Companion ${at + 1}`}>
    ${choice(t`What it is`, kind.value, KIND_CHOICES, (value) => list.change(at, { [kind.value]: undefined, [value]: row[kind.value] ?? '' }))}
    ${kind.value === 'html' ? text('html', kind.address) : address(kind.value, kind.address)} ${pixels('width', t`Width`)}
    ${pixels('height', t`Height`)}
    ${choice(t`Where it is shown`, textOf(row['rendering'] ?? 'default'), RENDERING_CHOICES, (rendering) => list.change(at, { rendering }))}
    ${text('alt', t`Alternative text`)} ${address('click_url', t`Its own landing page`)} ${removal(t`Remove companion ${at + 1}`)}
  </div>`;
};

const iconRow = (list: ContentList, row: ContentRow, at: number): TemplateResult => {
  const { text, pixels, address, removal } = rowFields(list, row, at);
  return html`<div class="extra" role="group" aria-label=${t`Icon ${at + 1}`}>
    ${text('program', t`Programme`)} ${address('image', t`Address of the picture`)} ${pixels('width', t`Width`)}
    ${pixels('height', t`Height`)} ${pixels('x', t`Pixels from the left, else right`)} ${pixels('y', t`Pixels from the top, else top`)}
    ${address('click_url', t`Page that it opens`)} ${removal(t`Remove icon ${at + 1}`)}
  </div>`;
};

const scriptRow = (list: ContentList, row: ContentRow, at: number): TemplateResult => {
  const { text, address, removal } = rowFields(list, row, at);
  return html`<div class="extra" role="group" aria-label=${t`Measuring script ${at + 1}`}>
    ${text('vendor', t`Vendor`, { placeholder: 'measurer.example-omid' })} ${address('script', t`Address of the script`)}
    ${text('parameters', t`Parameters`)} ${removal(t`Remove measuring script ${at + 1}`)}
  </div>`;
};

/** An object of two texts; without both it is left out. */
const adId = (form: Form, assets: Assets): readonly TemplateResult[] => {
  const change = (name: string, typed: string): void => {
    const now = assetsOf(form.read('/content'))?.['universal_ad_id'] as ContentRow | undefined;
    const next = { registry: '', id: '', ...now, [name]: typed };
    form.write('/content', withAsset(form.read('/content'), 'universal_ad_id', next.registry === '' && next.id === '' ? undefined : next));
  };
  const shown = (assets['universal_ad_id'] ?? {}) as ContentRow;
  return [
    smallField(
      t`Registry of the universal ad id`,
      input({ value: textOf(shown['registry']), onChange: (typed) => change('registry', typed) }),
    ),
    smallField(t`Universal ad id`, input({ value: textOf(shown['id']), onChange: (typed) => change('id', typed) })),
  ];
};
