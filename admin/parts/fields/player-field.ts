import { html, nothing, type TemplateResult } from 'lit-html';
import { VIDEO_TYPES } from '../../../src/catalog/model/video-ad.ts';
import { VAST_VERSIONS } from '../../../src/catalog/model/video-rules.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { POSITION_WORDS, SKIP_WORDS } from '../../words/player-words.ts';
import { t } from '../../words/texts.ts';
import { breakLine } from '../break-line.ts';
import { button } from '../parts.ts';
import { fieldGroup, idOf, type FieldOptions } from './field.ts';
import { input } from './input.ts';
import type { BreakDraft, PlayerDraft, PodDraft } from './player-draft.ts';
import { playerOf } from './player-draft.ts';

const NEW_BREAK: BreakDraft = { at: 'start', ads: '2', seconds: '60' };
const NEW_POD: PodDraft = { ads: '2', seconds: '60' };

type Choices = readonly { readonly value: string; readonly label: string }[];

const choicesOf = <T extends string>(words: Readonly<Record<T, string>>, none: string): Choices => [
  { value: '', label: none },
  ...Object.entries<string>(words).map(([value, label]) => ({ value, label })),
];
const VAST_CHOICES: Choices = [
  { value: '', label: t`what the tag says, or 4.2` },
  ...VAST_VERSIONS.map((version) => ({ value: version, label: `VAST ${version}` })),
];

/** Which ads the player of a placement takes, how many in a break, and the breaks of its film on a line. */
export const playerField = (form: Form, options: FieldOptions): TemplateResult =>
  fieldGroup(form, options, ({ invalid }) => {
    const draft = form.read(options.pointer) as PlayerDraft;
    const id = idOf(options.pointer);
    const write = (part: Partial<PlayerDraft>): void => form.write(options.pointer, { ...draft, ...part });
    const select = (name: 'position' | 'skip' | 'vast', label: string, choices: Choices) =>
      html`<label class="small-field" for="${id}-${name}">
        <span>${label}</span>
        <select id="${id}-${name}" @change=${(event: Event) => write({ [name]: (event.target as HTMLSelectElement).value })}>
          ${choices.map(({ value, label: words }) => html`<option value=${value} ?selected=${value === draft[name]}>${words}</option>`)}
        </select>
      </label>`;
    const number = (name: 'minDuration' | 'maxDuration' | 'perSecond', label: string, placeholder: string, unit: string) =>
      html`<label class="small-field" for="${id}-${name}">
        <span>${label}</span>
        <span class="with-unit">
          ${input({ control: { id: `${id}-${name}`, invalid }, inputMode: 'decimal', placeholder, value: draft[name], onInput: (typed) => write({ [name]: typed }) })}
          <span>${unit}</span>
        </span>
      </label>`;
    const type = (mime: string) =>
      html`<label class="check"
        ><input
          type="checkbox"
          .checked=${draft.mimes.includes(mime)}
          @change=${(event: Event) =>
            write({
              mimes: (event.target as HTMLInputElement).checked ? [...draft.mimes, mime] : draft.mimes.filter((one) => one !== mime),
            })}
        />
        ${mime}</label
      >`;
    // Types that were set otherwise stay choices.
    const types = [...new Set([...VIDEO_TYPES, ...draft.mimes])];
    return html`<div class="player-rules">
        ${select('position', t`Where it plays`, choicesOf(POSITION_WORDS, t`not said`))}
        ${select('skip', t`Skipping`, choicesOf(SKIP_WORDS, t`as the ad says`))} ${select('vast', t`What it reads`, VAST_CHOICES)}
        ${number('minDuration', t`Shortest ad`, t`any`, t`seconds`)} ${number('maxDuration', t`Longest ad`, t`any`, t`seconds`)}
        ${number('perSecond', t`Lowest bid for each second`, t`none`, t`per thousand`)}
      </div>
      <fieldset class="player-types">
        <legend>${t`Types of files, of which an ad has one`}</legend>
        ${types.map(type)}
      </fieldset>
      ${podRules(draft, write)} ${breakRules(id, draft, write)}`;
  });

type Write = (part: Partial<PlayerDraft>) => void;

const podRules = ({ pod, breaks }: PlayerDraft, write: Write): TemplateResult | typeof nothing => {
  if (breaks.length > 0 && !pod) return nothing;
  return html`<div class="cap">
    <label class="check"
      ><input
        type="checkbox"
        .checked=${pod !== undefined}
        @change=${(event: Event) => write({ pod: (event.target as HTMLInputElement).checked ? NEW_POD : undefined })}
      />
      ${t`Several ads, one after the other`}</label
    >
    ${pod ? podInputs(pod, t`of the pod`, (part) => write({ pod: { ...pod, ...part } })) : nothing}
  </div>`;
};

const podInputs = (pod: PodDraft, of: string, change: (part: Partial<PodDraft>) => void): TemplateResult => html`
  <span>${t`at most`}</span>
  ${input({ label: t`Number of ads ${of}`, inputMode: 'numeric', value: pod.ads, onInput: (ads) => change({ ads }) })}
  <span>${t`ads in`}</span>
  ${input({ label: t`Seconds ${of}`, inputMode: 'numeric', value: pod.seconds, onInput: (seconds) => change({ seconds }) })}
  <span>${t`seconds together`}</span>
`;

const breakRules = (id: string, draft: PlayerDraft, write: Write): TemplateResult => {
  const { breaks } = draft;
  const change = (at: number, part: Partial<BreakDraft>): void =>
    write({ breaks: breaks.map((one, i) => (i === at ? { ...one, ...part } : one)) });
  const remove = (at: number): void => {
    write({ breaks: breaks.filter((_, i) => i !== at) });
    document.getElementById(`${id}-add`)?.focus();
  };
  return html`<fieldset class="player-breaks">
    <legend>${t`Breaks of a film, for players that read VMAP`}</legend>
    <div class="caps">
      ${breaks.map(
        (one, at) =>
          html`<div class="cap break">
            ${input({ label: t`Moment of break ${at + 1}`, placeholder: '00:10:00', value: one.at, onInput: (moment) => change(at, { at: moment }) })}
            ${podInputs(one, t`of break ${at + 1}`, (part) => change(at, part))}
            ${button('×', () => remove(at), 'quiet icon-button', t`Remove break ${at + 1}`)}
          </div>`,
      )}
      <button type="button" id="${id}-add" class="quiet" @click=${() => write({ breaks: [...breaks, NEW_BREAK] })}>
        + ${t`Add a break`}
      </button>
    </div>
    <p class="help">
      ${t`A moment is start, end, a time such as 00:10:00, a part of the film such as 25%, or #2 for its second opportunity.`}
    </p>
    ${breaks.length > 0 ? breakLine(playerOf(draft)) : nothing}
  </fieldset>`;
};
