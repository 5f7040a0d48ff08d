import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { numberOf, textOf } from '../forms/typed-text.ts';
import { textArea } from './text-field.ts';
import type { Form } from '../forms/form.ts';
import { capital } from '../words/kinds.ts';
import { assetsOf, NATIVE_ASSETS, withAsset } from '../forms/creative-draft.ts';
import { SAMPLES } from './format-help.ts';

interface Image {
  readonly url?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
}

/** The content of a creative: markup to write, or its assets as fields; JSON for whoever prefers it, and for what the fields cannot show. */
export const contentFields = (form: Form): TemplateResult => {
  const format = textOf(form.read('/format'));
  const assets = assetsOf(form.read('/content'));
  if (format === 'html')
    return html`${textArea(form, { pointer: '/content', label: 'Markup', required: true, wide: true, rows: 12 })}${sample(form)}`;
  const asJson = form.read('/as_json') === true || !assets;
  return html`
    ${
      asJson
        ? textArea(form, { pointer: '/content', label: `${capital(format)} content (JSON)`, required: true, wide: true, rows: 12 })
        : html`${format === 'banner' ? bannerFields(form, assets) : nativeFields(form, assets)}
            <div class="field wide field-faults" aria-live="polite">
              ${form.faultsAt('/content').map((fault) => html`<p>${fault}</p>`)}
            </div>`
    }
    <div class="wide row">
      <button type="button" class="quiet" ?disabled=${asJson && !assets} @click=${() => form.write('/as_json', !asJson)}>
        ${asJson ? 'Edit as fields' : 'Edit as JSON'}
      </button>
      ${sample(form)}
    </div>
  `;
};

const sample = (form: Form): TemplateResult | '' =>
  textOf(form.read('/content')).trim() === ''
    ? html`<button type="button" class="quiet" @click=${() => form.write('/content', SAMPLES[textOf(form.read('/format'))] ?? '')}>
        Start from a sample
      </button>`
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

const bannerFields = (form: Form, { image, alt, images }: Readonly<Record<string, unknown>>): TemplateResult => {
  const rows = imagesOf(images);
  // What stands there now, not what was drawn: two changes may come before the next drawing, and the second must not undo the first.
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
    ${assetField(form, 'image', 'Image address', image, { wide: true, required: true, help: 'The picture at the size of the slot: http, https, or a path on this server.' })}
    ${assetField(form, 'alt', 'Alternative text', alt, { wide: true, help: 'What the picture says, for those who do not see it.' })}
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

const nativeFields = (form: Form, assets: Readonly<Record<string, unknown>>): TemplateResult => {
  const others = Object.keys(assets).filter((name) => !(NATIVE_ASSETS as readonly string[]).includes(name));
  return html`
    ${NATIVE_ASSETS.map((name) => {
      const value = assets[name];
      const isObject = typeof value === 'object' && value !== null;
      // An image may be an object with its size: its address is what the field edits.
      const shown = isObject ? (value as Image).url : value;
      return assetField(form, name, capital(name), shown, {
        wide: ['title', 'description', 'image'].includes(name),
        ...(isObject ? { change: (url: string) => ({ ...value, url }) } : {}),
      });
    })}
    ${others.length > 0 ? html`<p class="wide help">Also there, and kept: ${others.join(', ')}.</p>` : ''}
  `;
};
