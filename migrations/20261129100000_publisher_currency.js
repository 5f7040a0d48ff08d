/**
 * The currency of a publisher becomes that of all its money. It was that of its statements alone, and prices were in
 * USD: publishers with another one keep it for statements.
 */
export async function up(knex) {
  await knex.raw(`
    alter table publishers add statement_currency text null;
    update publishers set statement_currency = currency, currency = 'USD' where currency <> 'USD';
    alter table finance_months add revenue_currency text not null default 'USD';
    alter table bidders alter currency drop not null, alter currency drop default;
  `);
}

export async function down(knex) {
  await knex.raw(`
    update bidders set currency = 'USD' where currency is null;
    alter table bidders alter currency set not null, alter currency set default 'USD';
    update publishers set currency = statement_currency where statement_currency is not null;
    alter table publishers drop statement_currency;
    alter table finance_months drop revenue_currency;
  `);
}
