import type { Form } from '../../bookings/forms/form.ts';

export type Rows<Row extends object> = ReturnType<typeof rowsOf<Row>>;

/**
 * The rows of a list that is edited. Changes read the current ones, not those drawn: two may come before the next drawing.
 * @param addId of the button that adds one: it has the focus after one is removed
 */
export const rowsOf = <Row extends object>(read: () => readonly Row[], write: (rows: readonly Row[]) => void, addId = '') => ({
  rows: read(),
  add: (row: Row): void => write([...read(), row]),
  remove: (at: number): void => {
    write(read().filter((_, i) => i !== at));
    document.getElementById(addId)?.focus();
  },
  change: (at: number, part: Partial<Row>): void => write(read().map((row, i) => (i === at ? { ...row, ...part } : row))),
});

/** The rows of a field of a form. */
export const formRows = <Row extends object>(form: Form, pointer: string, addId?: string): Rows<Row> =>
  rowsOf<Row>(
    () => (form.read(pointer) as readonly Row[] | undefined) ?? [],
    (rows) => form.write(pointer, rows),
    addId,
  );
