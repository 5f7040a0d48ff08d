import type { TemplateResult } from 'lit-html';
import type { Api } from './api/api.ts';
import type { Inbox } from './api/inbox.ts';
import type { Rights } from './api/rights.ts';
import type { Statuses } from './api/statuses.ts';
import type { Store } from './api/store.ts';
import type { Problem } from './api/wire.ts';

export interface Question {
  readonly title: string;
  readonly text: TemplateResult | string;
  /** The label of the button that confirms. */
  readonly yes: string;
  readonly dangerous?: boolean;
}

export interface Choice {
  readonly value: string;
  readonly shown: TemplateResult;
}

export interface ToastOptions {
  readonly tone?: 'good' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** What a view may use of the page. */
export interface Page {
  /** Who uses it, and what they may do. */
  readonly rights: Rights;
  /** Reads them again. */
  readRights(): Promise<void>;
  readonly api: Api;
  readonly store: Store;
  readonly statuses: Statuses;
  readonly inbox: Inbox;
  redraw(): void;
  /** To a hash made by `hashOf`. Without asking about unsaved changes when `saved`. */
  go(hash: string, options?: { readonly saved?: boolean }): void;
  /** Writes a hash made by `hashOf` into the address, for the screen that is shown. */
  rename(hash: string): void;
  toast(text: string, options?: ToastOptions): void;
  complain(problem: Problem): void;
  confirm(question: Question): Promise<boolean>;
  /** The value of what is chosen; '': nothing. */
  choose(title: string, choices: readonly Choice[]): Promise<string>;
  /** Answers questions about the screen. @param id of help/questions.ts: the one that is answered first */
  help(id?: string): void;
}

/** One screen with its own state; `render` is called after every change. */
export interface View {
  readonly title: string;
  /** Its entry in the navigation. */
  readonly section: string;
  readonly render: () => TemplateResult;
  readonly hasChanges?: () => boolean;
  readonly leave?: () => void;
}
