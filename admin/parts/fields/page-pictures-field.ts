import { html, type TemplateResult } from 'lit-html';
import type { AssetWire } from '../../../src/assets/asset-api.ts';
import { PAGE_DEVICES, PAGE_SCHEMES, type PageDevice, type PageScheme } from '../../../src/catalog/model/page-views.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { numberOf, textOf } from '../../bookings/forms/typed-text.ts';
import type { Page } from '../../page.ts';
import { assetPath } from '../../words/asset-words.ts';
import { VIEW_WORDS } from '../../words/page-view-words.ts';
import { t } from '../../words/texts.ts';
import { button } from '../parts.ts';
import '../preview/ad-place.ts';
import { PAGE_VIEWS } from '../preview/page-sketch.ts';
import { fieldGroup, idOf, type FieldOptions } from './field.ts';
import { input } from './input.ts';
import { pictureUpload } from './picture-upload.ts';
import { formRows } from './rows.ts';

const PIXELS = 'px';

type Side = 'left' | 'top' | 'width';

/** A picture, with the place of the ad as it is typed. */
interface PictureDraft extends Readonly<Record<Side, string>> {
  readonly device: PageDevice;
  readonly scheme: PageScheme;
  readonly picture: string;
}

export const pictureDrafts = (value: unknown): readonly PictureDraft[] =>
  ((value ?? []) as readonly Readonly<Record<string, unknown>>[]).map((one) => ({
    ...(one as unknown as PictureDraft),
    ...{ left: textOf(one['left']), top: textOf(one['top']), width: textOf(one['width']) },
  }));

/** What is no number is sent as typed: the service says what is wrong. */
export const picturesOf = (drafts: unknown): readonly object[] =>
  (drafts as readonly PictureDraft[]).map((one) => ({
    ...one,
    ...{ left: numberOf(one.left), top: numberOf(one.top), width: numberOf(one.width) },
  }));

/** Pictures of the page of a placement, one for each device and scheme, with the place of the ad. */
export const pagePicturesField = (form: Form, page: Page, options: FieldOptions): TemplateResult =>
  fieldGroup(form, options, () => {
    const { rows: drafts, remove, change } = formRows<PictureDraft>(form, options.pointer);
    const at = (device: PageDevice, scheme: PageScheme): number =>
      drafts.findIndex((one) => one.device === device && one.scheme === scheme);
    const add = (device: PageDevice, scheme: PageScheme, asset: AssetWire): void => {
      const others = (form.read(options.pointer) as readonly PictureDraft[]).filter(
        (one) => one.device !== device || one.scheme !== scheme,
      );
      form.write(options.pointer, [...others, { device, scheme, picture: assetPath(asset), ...firstPlace(form, device, asset) }]);
    };
    const one = (device: PageDevice, scheme: PageScheme): TemplateResult => {
      const index = at(device, scheme);
      const draft = drafts[index];
      const words = VIEW_WORDS[device][scheme];
      if (!draft)
        return pictureUpload(page, {
          ...{ id: `${idOf(options.pointer)}-${device}-${scheme}`, label: t`Add a picture: ${words}` },
          ...{ publisher: textOf(form.read('/publisher_id')), onStored: (asset) => add(device, scheme, asset) },
        });
      const numbers = { left: Number(draft.left), top: Number(draft.top), width: Number(draft.width) };
      const isPlaced = draft.width !== '' && Object.values(numbers).every((number) => Number.isFinite(number));
      const side = (name: Side, label: string): TemplateResult =>
        html`<label class="small-field"
          ><span>${label}</span>
          <span class="with-unit"
            >${input({ label: `${label}, ${words}`, inputMode: 'numeric', value: draft[name], onInput: (typed) => change(index, { [name]: typed }) })}<span
              >${PIXELS}</span
            ></span
          ></label
        >`;
      return html`<figure class="page-picture">
        <figcaption><b>${words}</b> ${button(t`Remove`, () => remove(index), 'quiet danger-text', t`Remove ${words}`)}</figcaption>
        <ad-place
          class=${device}
          .placed=${{
            ...{ picture: draft.picture, title: words, ratio: ratioOf(form), place: isPlaced ? numbers : undefined },
            onChange: ({ left, top, width }: typeof numbers) =>
              change(index, { left: String(left), top: String(top), width: String(width) }),
          }}
        ></ad-place>
        <div class="page-picture-place">${side('left', t`Left`)}${side('top', t`Top`)}${side('width', t`Width`)}</div>
      </figure>`;
    };
    return html`<div class="page-pictures">${PAGE_DEVICES.flatMap((device) => PAGE_SCHEMES.map((scheme) => one(device, scheme)))}</div>
      ${drafts.length > 0 ? html`<p class="help">${t`Drag over the picture where the ad is, or type its place in pixels of the picture.`}</p>` : ''}`;
  });

const sizeOf = (form: Form) => ({ width: Number(form.read('/width')) || 300, height: Number(form.read('/height')) || 250 });
const ratioOf = (form: Form): number => {
  const { width, height } = sizeOf(form);
  return width / height;
};

/** In the middle, a bit below the top, at the density of the picture. */
const firstPlace = (form: Form, device: PageDevice, { width }: AssetWire): Readonly<Record<Side, string>> => {
  const view = PAGE_VIEWS[device];
  const density = (width ?? view.width) / view.width;
  const ad = sizeOf(form).width * density;
  const left = Math.max(0, (view.width * density - ad) / 2);
  return { left: String(Math.round(left)), top: String(Math.round(120 * density)), width: String(Math.round(ad)) };
};
