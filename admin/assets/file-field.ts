import { html, nothing, type TemplateResult } from 'lit-html';
import {
  limitInWords,
  MAX_CAPTIONS_BYTES,
  MAX_SOUND_BYTES,
  MAX_UPLOAD_BYTES,
  MAX_VIDEO_BYTES,
  sizeInWords,
} from '../../src/catalog/model/asset-rules.ts';
import type { Form } from '../bookings/forms/form.ts';
import { numberOf, listOf, textOf } from '../bookings/forms/typed-text.ts';
import type { Page } from '../page.ts';
import { dropPlace, dropWords } from '../parts/drop-place.ts';
import { button } from '../parts/parts.ts';
import { thumbnail } from '../parts/thumbnail.ts';
import type { AssetWire } from '../../src/assets/asset-api.ts';
import type { PlacementWire } from '../api/wire.ts';
import { assetFacts, assetNotes, assetPath, isHtml5 } from '../words/asset-words.ts';
import { t } from '../words/texts.ts';

export interface FileFieldOptions {
  /** Distinguishes the file fields of a form. */
  readonly name: string;
  /** `a picture`, `the zip of an HTML5 ad`. */
  readonly what: string;
  readonly accepts: FileKind;
  /** Puts the stored file into the form. */
  readonly onStored: (asset: AssetWire) => void;
}

type Upload =
  | { readonly state: 'busy'; readonly file: string }
  | { readonly state: 'refused'; readonly file: string; readonly reason: string }
  | { readonly state: 'stored'; readonly file: string; readonly asset: AssetWire };

type FileKind = 'pictures' | 'html5' | 'video' | 'audio' | 'captions';

interface Accepted {
  readonly types: string;
  readonly words: string;
  readonly maxBytes: number;
  readonly is: (asset: AssetWire) => boolean;
  /** Of a file that is another one, as a sentence without its subject. */
  readonly refusal: string;
}

const starts = (prefix: string) => (asset: AssetWire) => asset.type.startsWith(prefix);

const ACCEPTED: Readonly<Record<FileKind, Accepted>> = {
  pictures: {
    ...{ types: 'image/png,image/jpeg,image/gif,image/webp,image/avif,image/svg+xml', words: 'PNG, JPEG, GIF, WebP, AVIF or SVG' },
    ...{ maxBytes: MAX_UPLOAD_BYTES, is: starts('image/'), refusal: t`is no picture: choose the format that it is made for.` },
  },
  html5: {
    ...{ types: '.zip,application/zip', words: t`A zip with index.html` },
    ...{ maxBytes: MAX_UPLOAD_BYTES, is: isHtml5, refusal: t`is not the zip of an HTML5 ad.` },
  },
  video: {
    ...{ types: 'video/mp4,video/webm', words: t`MP4 or WebM` },
    ...{ maxBytes: MAX_VIDEO_BYTES, is: starts('video/'), refusal: t`is no video.` },
  },
  audio: {
    ...{ types: 'audio/mpeg,audio/mp4,audio/ogg,audio/webm,.mp3,.m4a,.ogg', words: t`MP3, M4A or Ogg` },
    ...{ maxBytes: MAX_SOUND_BYTES, is: starts('audio/'), refusal: t`is no sound.` },
  },
  captions: {
    ...{ types: 'text/vtt,.vtt', words: 'WebVTT' },
    ...{ maxBytes: MAX_CAPTIONS_BYTES, is: starts('text/vtt'), refusal: t`has no captions in WebVTT.` },
  },
};

const MAX_OFFERED = 100;

/**
 * A place to drop a file on, which is also a button that opens the file dialog. The upload and its
 * outcome are kept in the draft, beside the fields of the record.
 */
export const fileField = (form: Form, page: Page, options: FileFieldOptions): TemplateResult => {
  const pointer = `/uploads/${options.name}`;
  const upload = form.read(pointer) as Upload | undefined;
  const take = (files: FileList | null | undefined): void => {
    const [file] = files ?? [];
    if (file) void send(form, page, pointer, file, options);
  };
  const accepted = ACCEPTED[options.accepts];
  return html`<div class="wide file-field">
    ${dropPlace({
      types: accepted.types,
      take,
      words: dropWords(options.what, t`${accepted.words}, up to ${limitInWords(accepted.maxBytes)}`),
    })}
    ${page.rights.may('GET', '/assets') ? button(t`Choose an uploaded file`, () => pick(form, page, pointer, options), 'quiet') : nothing}
    <div class="file-outcome" aria-live="polite">${outcome(upload, placementsOf(form, page))}</div>
  </div>`;
};

const outcome = (upload: Upload | undefined, placements: readonly PlacementWire[]): TemplateResult | string => {
  switch (upload?.state) {
    case undefined:
      return '';
    case 'busy':
      return html`<p aria-busy="true">${t`Uploading ${upload.file} …`}</p>`;
    case 'refused':
      return html`<p class="file-refused"><b>${upload.file}</b> ${upload.reason}</p>`;
    case 'stored':
      return html`${thumbnailOf(upload.asset)}
        <div>
          <p><b>${upload.file}</b> ${assetFacts(upload.asset)}</p>
          ${assetNotes(upload.asset, placements).map((note) => html`<p class="help">${note}</p>`)}
        </div>`;
  }
};

const send = async (form: Form, page: Page, pointer: string, file: File, options: FileFieldOptions): Promise<void> => {
  const { maxBytes, is, refusal } = ACCEPTED[options.accepts];
  const refuse = (reason: string): void => form.write(pointer, { state: 'refused', file: file.name, reason } satisfies Upload);
  // The service would close the connection of a much larger one.
  if (file.size > maxBytes) return refuse(t`has ${sizeInWords(file.size)}; at most ${limitInWords(maxBytes)} are accepted.`);
  form.write(pointer, { state: 'busy', file: file.name } satisfies Upload);
  const answer = await page.api.send('PUT', '/assets', { name: file.name, publisher_id: publisherOf(form, page), body: file });
  if (!answer.ok) return refuse(answer.problem.detail.replace(/^The file /, ''));
  if (!is(answer.value)) return refuse(isHtml5(answer.value) ? t`is an HTML5 ad: choose the format html for it.` : refusal);
  use(form, pointer, file.name, answer.value, options);
};

/** Offers the newest files of the publisher, of the kind that the field takes. */
const pick = async (form: Form, page: Page, pointer: string, options: FileFieldOptions): Promise<void> => {
  const answer = await page.api.get('/assets', { publisher_id: publisherOf(form, page), limit: MAX_OFFERED });
  if (!answer.ok) return page.complain(answer.problem);
  const files = answer.value.filter(ACCEPTED[options.accepts].is);
  const choices = files.map((file) => ({
    value: file.sha256,
    shown: html`<span class="pictured"
      >${thumbnailOf(file)}<span><b>${file.name}</b> ${assetFacts(file)}</span></span
    >`,
  }));
  const chosen = await page.choose(t`Uploaded files`, choices);
  const asset = files.find(({ sha256 }) => sha256 === chosen);
  if (asset) use(form, pointer, asset.name, asset, options);
};

const use = (form: Form, pointer: string, file: string, asset: AssetWire, { onStored }: FileFieldOptions): void => {
  form.write(pointer, { state: 'stored', file, asset } satisfies Upload);
  if (textOf(form.read('/name')) === '') form.write('/name', file.replace(/\.[^.]*$/, '').slice(0, 256));
  onStored(asset);
};

const thumbnailOf = (asset: AssetWire): TemplateResult => {
  const word = Object.entries(WORDS).find(([prefix]) => asset.type.startsWith(prefix))?.[1];
  return thumbnail(word ?? { path: assetPath(asset) });
};
const WORDS = { 'text/html': 'HTML5', 'video/': t`Video`, 'audio/': t`Sound`, 'text/vtt': 'VTT' } as const;

/** '': not known yet. */
const publisherOf = (form: Form, { store }: Page): string => {
  const item = store.find('line_items', numberOf(form.read('/line_item_id')));
  return textOf(store.find('campaigns', item?.campaign_id)?.publisher_id);
};

const placementsOf = (form: Form, { store }: Page): readonly PlacementWire[] =>
  listOf(form.read('/placement_ids')).flatMap((id) => store.find('placements', id) ?? []);
