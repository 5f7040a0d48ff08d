import { CREATIVE_FORMATS, type CreativeFormat } from '../../src/catalog/model/entities.ts';
import type { Page } from '../page.ts';
import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { numberOf, textOf } from '../forms/typed-text.ts';
import { textArea } from './text-field.ts';
import type { Form } from '../forms/form.ts';
import { capital } from '../words/kinds.ts';
import { assetsOf, withAsset, type Assets } from './content-assets.ts';
import { formatHelp, SAMPLES } from './format-help.ts';

/** Assets of native ads that have a field; others are kept and can be edited as JSON. */
const NATIVE_ASSETS = ['title', 'description', 'brand', 'image', 'sponsored', 'offer', 'click', 'background'] as const;

interface Image {
  readonly url?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
}

/** The content of a creative: markup as text; the assets of a banner or native ad as fields, or as JSON. */
export const contentField = (form: Form, { store }: Page): TemplateResult => {
  const format = CREATIVE_FORMATS.find((each) => each === textOf(form.read('/format')));
  const isBidders = store.find('line_items', textOf(form.read('/line_item_id')))?.type === 'programmatic';
  return html`
    ${
      isBidders
        ? html`<p class="wide help">
            The bidder of this line item supplies the markup. This content only says which placement and format it may fill.
          </p>`
        : ''
    }
    ${
      format
        ? html`${editor(form, format)}
            <details class="wide format-help">
              <summary>About this format</summary>
              ${formatHelp(format)}
            </details>`
        : ''
    }
  `;
};

const editor = (form: Form, format: CreativeFormat): TemplateResult => {
  switch (format) {
    case 'html':
      return html`${source(form, 'Markup')}
        <div class="wide row">${sample(form, format)}</div>`;
    case 'banner':
      return assetEditor(form, format, bannerFields);
    case 'native':
      return assetEditor(form, format, nativeFields);
  }
};

const source = (form: Form, label: string): TemplateResult =>
  textArea(form, { pointer: '/content', label, required: true, wide: true, rows: 12 });

/** As fields where the content is an object, with a button to and from JSON. */
const assetEditor = (form: Form, format: CreativeFormat, fields: (form: Form, assets: Assets) => TemplateResult): TemplateResult => {
  const assets = assetsOf(form.read('/content'));
  const asJson = form.read('/as_json') === true || !assets;
  return html`
    ${
      asJson
        ? source(form, `${capital(format)} content (JSON)`)
        : html`${fields(form, assets)}
            <div class="field wide field-faults" aria-live="polite">
              ${form.faultsAt('/content').map((fault) => html`<p>${fault}</p>`)}
            </div>`
    }
    <div class="wide row">
      <button type="button" class="quiet" ?disabled=${asJson && !assets} @click=${() => form.write('/as_json', asJson ? undefined : true)}>
        ${asJson ? 'Edit as fields' : 'Edit as JSON'}
      </button>
      ${sample(form, format)}
    </div>
  `;
};

const sample = (form: Form, format: CreativeFormat): TemplateResult | '' =>
  textOf(form.read('/content')).trim() === ''
    ? html`<button type="button" class="quiet" @click=${() => form.write('/content', SAMPLES[format])}>Start from a sample</button>`
    : '';

const assetField = (
  form: Form,
  name: string,
  label: string,
  value: unknown,
  options: {
    readonly wide?: boolean;
    readonly help?: string;
    readonly change?: (typed: string) => unknown;
    readonly required?: boolean;
  } = {},
): TemplateResult => {
  const id = `asset-${name}`;
  const invalid = options.required && form.faultsAt('/content').length > 0 ? 'true' : nothing;
  return html`<div class="field ${options.wide ? 'wide' : ''}">
    <label for=${id}>${label}${options.required ? html`<span class="required"> *</span>` : ''}</label>
    <input
      id=${id}
      type="text"
      autocomplete="off"
      aria-invalid=${invalid}
      aria-describedby="${id}-help"
      .value=${live(textOf(value))}
      @input=${(event: InputEvent) => {
        const typed = (event.target as HTMLInputElement).value;
        form.write('/content', withAsset(form.read('/content'), name, options.change ? options.change(typed) : typed));
      }}
    />
    <small class="help" id="${id}-help">${options.help ?? ''}</small>
  </div>`;
};

const imagesOf = (images: unknown): readonly Image[] => (Array.isArray(images) ? (images as readonly Image[]) : []);

const bannerFields = (form: Form, { image, alt, images }: Assets): TemplateResult => {
  const rows = imagesOf(images);
  // Reads the current content, not the rendered one: two changes may come before the next rendering.
  const write = (next: (now: readonly Image[]) => readonly Image[]) =>
    form.write('/content', withAsset(form.read('/content'), 'images', next(imagesOf(assetsOf(form.read('/content'))?.['images']))));
  const change = (at: number, part: Image) => write((now) => now.map((row, i) => (i === at ? { ...row, ...part } : row)));
  const cell = (row: Image, at: number, name: keyof Image, label: string, read: (typed: string) => unknown) =>
    html`<input
      type="text"
      inputmode=${name === 'url' ? 'url' : 'numeric'}
      aria-label="${label} of image ${at + 1}"
      placeholder=${name === 'url' ? 'https://…' : name}
      .value=${live(textOf(row[name]))}
      @change=${(event: Event) => change(at, { [name]: read((event.target as HTMLInputElement).value) })}
    />`;
  return html`
    ${assetField(form, 'image', 'Image address', image, { wide: true, required: true, help: 'The picture at the size of the placement: an http or https address, or a path on this server.' })}
    ${assetField(form, 'alt', 'Alternative text', alt, { wide: true, help: 'Describes the picture to screen readers.' })}
    <fieldset class="field wide">
      <legend>More sizes of the same picture</legend>
      ${rows.map(
        (row, i) =>
          html`<div class="image-row">
            ${cell(row, i, 'url', 'Address', (typed) => typed)} ${cell(row, i, 'width', 'Width', numberOf)}
            ${cell(row, i, 'height', 'Height', numberOf)}
            <button
              type="button"
              class="quiet icon-button"
              aria-label="Remove image ${i + 1}"
              @click=${() => write((now) => now.filter((_, j) => j !== i))}
            >
              ×
            </button>
          </div>`,
      )}
      <button type="button" class="quiet" @click=${() => write((now) => [...now, { url: '', width: null, height: null }])}>
        + Add a size
      </button>
    </fieldset>
  `;
};

const nativeFields = (form: Form, assets: Assets): TemplateResult => {
  const others = Object.keys(assets).filter((name) => !(NATIVE_ASSETS as readonly string[]).includes(name));
  return html`
    ${NATIVE_ASSETS.map((name) => {
      const value = assets[name];
      const isObject = typeof value === 'object' && value !== null;
      // An image may be an object with its size; the field edits its address.
      const shown = isObject ? (value as Image).url : value;
      return assetField(form, name, capital(name), shown, {
        wide: ['title', 'description', 'image'].includes(name),
        ...(isObject ? { change: (url: string) => ({ ...value, url }) } : {}),
      });
    })}
    ${others.length > 0 ? html`<p class="wide help">Other assets, kept as they are: ${others.join(', ')}.</p>` : ''}
  `;
};
