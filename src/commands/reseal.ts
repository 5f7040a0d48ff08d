import type { Knex } from 'knex';
import { runCommand } from '../base/run-command.ts';
import { createSecretBox } from '../base/secret-box.ts';
import { withDatabase } from '../base/with-database.ts';
import { keepTokenSecret } from '../config/keep-token-secret.ts';
import { readSettings } from '../config/read-settings.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';

/**
 * `node dist/commands/reseal.js`: encrypts every secret in the database with the first key of
 * SEAL_KEYS, so that the others can be removed. Runs while the service runs. Exits with 1 when a
 * secret cannot be decrypted; such secrets stay as they are. See docs/operations.md.
 */
const main = async (): Promise<void> => {
  const { databaseUrl, sealKeys } = readSettings(keepTokenSecret(process.env));
  const [first] = sealKeys;
  if (databaseUrl === undefined || !first) throw new Error('DATABASE_URL and SEAL_KEYS must be those of the service.');
  const box = createSecretBox(sealKeys);
  const lost: string[] = [];
  let resealed = 0;
  const reseal = async (transaction: Knex, table: string, column: string): Promise<void> => {
    const rows = await transaction(table).select<SealedRow[]>('id', `${column} as members`).orderBy('id').forUpdate();
    for (const { id, members } of rows) {
      const opened = Object.entries(members).map(([name, sealed]) => ({ name, sealed, text: box.open(sealed, column) }));
      for (const { name, text } of opened) if (text === undefined) lost.push(`${table} ${id}: ${name}`);
      const next = opened.map(({ name, sealed, text }) => [name, text === undefined ? sealed : box.seal(text, column)]);
      resealed += opened.filter(({ text }) => text !== undefined).length;
      if (opened.length > 0)
        await transaction(table)
          .where({ id })
          .update(column, JSON.stringify(Object.fromEntries(next)));
    }
  };
  await withDatabase(databaseUrl, (knex) =>
    knex.transaction(async (transaction) => {
      for (const { table, sealed } of Object.values(ENTITY_KINDS)) if (sealed) await reseal(transaction, table, sealed.column);
    }),
  );
  console.log(`${resealed} secrets were encrypted with the key ${first.kid}`);
  if (lost.length > 0) throw new Error(['No key of SEAL_KEYS decrypts these. Enter them again:', ...lost].join('\n  '));
};

interface SealedRow {
  readonly id: number;
  readonly members: Readonly<Record<string, string>>;
}

runCommand(main);
