import { CREATIVE_FORMATS, type CreativeFormat } from '../../../src/catalog/model/choices.ts';
import type { Page } from '../../page.ts';
import { html, type TemplateResult } from 'lit-html';
import { button } from '../parts.ts';
import type { AssetWire } from '../../../src/assets/asset-api.ts';
import { numberOf, textOf } from '../../bookings/forms/typed-text.ts';
import { textArea, textField } from './text-field.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { capital } from '../../words/kinds.ts';
import { assetPath } from '../../words/asset-words.ts';
import { assetsForm } from './assets-form.ts';
import { assetsOf, html5Markup, withPicture, type Assets } from './content-assets.ts';
import { contentList, type ContentRow } from './content-list.ts';
import { fileField } from '../../assets/file-field.ts';
import { formatHelp, SAMPLES } from './format-help.ts';
import { input } from './input.ts';
import { mediaFields } from './media-fields.ts';
import { t } from '../../words/texts.ts';

/** Assets of native ads that have a field; others are kept and can be edited as JSON. */
const NATIVE_ASSETS = ['title', 'description', 'brand', 'image', 'sponsored', 'offer', 'click', 'background'] as const;

/**
 * The content of a creative: markup as text; the assets of a banner or native ad as fields, or as
 * JSON.
 */
export const contentField = (form: Form, page: Page): TemplateResult => {
  const { store } = page;
  const format = CREATIVE_FORMATS.find((each) => each === textOf(form.read('/format')));
  const isBidders = store.find('line_items', textOf(form.read('/line_item_id')))?.type === 'programmatic';
  return html`
    ${
      isBidders
        ? html`<p class="wide help">
            ${t`The bidder of this line item supplies the markup. This content only says which placement and format it may fill.`}
          </p>`
        : ''
    }
    ${
      format
        ? html`${editor(form, page, format)}
            <details class="wide format-help">
              <summary>${t`About this format`}</summary>
              ${formatHelp(format)}
            </details>`
        : ''
    }
  `;
};

/** Formats whose content is an object of assets have fields; other content is edited as text. */
const editor = (form: Form, page: Page, format: CreativeFormat): TemplateResult => {
  switch (format) {
    case 'banner':
      return assetEditor(form, page, format, bannerFields);
    case 'native':
      return assetEditor(form, page, format, nativeFields);
    case 'video':
    case 'audio':
      return assetEditor(form, page, format, mediaFields(format));
    case 'html':
      return html`${html5File(form, page)}${source(form, t`Markup`)}
        <div class="wide row">${sample(form, format)}</div>`;
  }
};

/** An HTML5 ad becomes the markup, and states the size of the creative. */
const html5File = (form: Form, page: Page): TemplateResult =>
  fileField(form, page, {
    name: 'html5',
    what: t`the zip of an HTML5 ad`,
    accepts: 'html5',
    onStored: (asset) => {
      form.write('/content', html5Markup(assetPath(asset), asset));
      for (const side of ['width', 'height'] as const) if (asset[side] !== null) form.write(`/${side}`, textOf(asset[side]));
    },
  });

const source = (form: Form, label: string): TemplateResult =>
  textArea(form, { pointer: '/content', label, required: true, wide: true, rows: 12 });

/** As fields where the content is an object, with a button to and from JSON. */
const assetEditor = (
  form: Form,
  page: Page,
  format: CreativeFormat,
  fields: (form: Form, page: Page, assets: Assets) => TemplateResult,
): TemplateResult => {
  const assets = assetsOf(form.read('/content'));
  const asJson = form.read('/as_json') === true || !assets;
  return html`
    ${asJson ? source(form, t`${capital(format)} content (JSON)`) : fields(form, page, assets)}
    <div class="wide row">
      <button type="button" class="quiet" ?disabled=${asJson && !assets} @click=${() => form.write('/as_json', asJson ? undefined : true)}>
        ${asJson ? t`Edit as fields` : t`Edit as JSON`}
      </button>
      ${sample(form, format)}
    </div>
  `;
};

const sample = (form: Form, format: CreativeFormat): TemplateResult | '' =>
  textOf(form.read('/content')).trim() === '' ? button(t`Start from a sample`, () => form.write('/content', SAMPLES[format]), 'quiet') : '';

const bannerFields = (form: Form, page: Page, { image }: Assets): TemplateResult => {
  const assets = assetsForm(form, '/image');
  const file = (as: 'main' | 'size', what: string) =>
    fileField(form, page, {
      name: as,
      what,
      accepts: 'pictures',
      onStored: (asset) => {
        const { width, height } = asset;
        form.write('/content', withPicture(form.read('/content'), { url: assetPath(asset), width, height }, as));
      },
    });
  const { rows, add, remove, change } = contentList(form, 'images');
  const cell = (row: ContentRow, at: number, name: 'url' | 'width' | 'height', label: string, read: (typed: string) => unknown) =>
    input({
      label: t`${label} of image ${at + 1}`,
      inputMode: name === 'url' ? 'url' : 'numeric',
      placeholder: name === 'url' ? 'https://…' : name,
      value: textOf(row[name]),
      onChange: (typed) => change(at, { [name]: read(typed) }),
    });
  return html`
    ${file('main', image ? t`another picture` : t`the picture`)}
    ${textField(assets, {
      pointer: '/image',
      label: t`Image address`,
      wide: true,
      required: true,
      inputMode: 'url',
      help: t`Filled in by an upload. Or an http or https address, or a path on this server.`,
    })}
    ${textField(assets, { pointer: '/alt', label: t`Alternative text`, wide: true, help: t`Describes the picture to screen readers.` })}
    <fieldset class="field wide">
      <legend>${t`Sizes of the picture`}</legend>
      ${rows.map(
        (row, i) =>
          html`<div class="image-row">
            ${cell(row, i, 'url', t`Address`, (typed) => typed)} ${cell(row, i, 'width', t`Width`, numberOf)}
            ${cell(row, i, 'height', t`Height`, numberOf)} ${button('×', () => remove(i), 'quiet icon-button', t`Remove image ${i + 1}`)}
          </div>`,
      )}
      ${image ? file('size', t`the same picture in another size`) : ''}
      ${button(t`+ Add a size`, () => add({ url: '', width: null, height: null }), 'quiet')}
    </fieldset>
  `;
};

const nativeFields = (form: Form, page: Page, assets: Assets): TemplateResult => {
  const others = Object.keys(assets).filter((name) => !(NATIVE_ASSETS as readonly string[]).includes(name));
  const onStored = (asset: AssetWire): void => assetsForm(form).write('/image', assetPath(asset));
  return html`
    ${fileField(form, page, { name: 'image', what: t`the image`, accepts: 'pictures', onStored })}
    ${NATIVE_ASSETS.map((name) =>
      textField(assetsForm(form), { pointer: `/${name}`, label: capital(name), wide: ['title', 'description', 'image'].includes(name) }),
    )}
    ${others.length > 0 ? html`<p class="wide help">${t`Other assets, kept as they are: ${others.join(', ')}.`}</p>` : ''}
    <div class="wide field-faults" aria-live="polite">${form.faultsAt('/content').map((fault) => html`<p>${fault}</p>`)}</div>
  `;
};
