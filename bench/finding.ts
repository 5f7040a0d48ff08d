/** A goal of docs/performance.md with what was measured. */
export interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly met: boolean;
  /** The quick run fails when this is false: an order of magnitude off, whatever else the machine is doing. */
  readonly plausible: boolean;
}

/** What a measure found, as a section of docs/performance.md. */
export interface Finding {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  readonly goals: readonly Goal[];
}

/** How much is measured. */
export interface Scale {
  readonly quick: boolean;
  readonly rounds: number;
  /** Length of one run of load. */
  readonly seconds: number;
}

export const atLeast = (what: string, goal: number, measured: number, note = ''): Goal => ({
  what,
  goal: `≥ ${goal.toFixed(2)}`,
  measured: measured.toFixed(2) + note,
  met: measured >= goal,
  plausible: measured >= goal / 10,
});

export const atMost = (what: string, goal: number, measured: number, note = ''): Goal => ({
  what,
  goal: `≤ ${goal.toFixed(2)}`,
  measured: measured.toFixed(2) + note,
  met: measured <= goal,
  plausible: measured <= goal * 10,
});

/** A markdown table; all columns but the first are numbers and right-aligned. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
