import { createEndOfTurn } from '../../src/ledger/allowances/end-of-turn.ts';

/** How many of the requests of one turn are answered before the turn ends, and after it. */
const answeredOf = async (requests: number): Promise<{ readonly inTurn: number; readonly after: number }> => {
  const endOfTurn = createEndOfTurn();
  let answered = 0;
  for (let i = 0; i < requests; i++) void endOfTurn().then(() => answered++);
  await Promise.resolve();
  await Promise.resolve();
  const inTurn = answered;
  await new Promise((resolve) => setImmediate(resolve));
  return { inTurn, after: answered };
};

describe('the end of a turn', () => {
  it('comes for all requests of the turn at once', async () => {
    expect(await answeredOf(31)).toEqual({ inTurn: 0, after: 31 });
  });

  it('does not let the first of many requests wait for the last', async () => {
    expect(await answeredOf(70)).toEqual({ inTurn: 64, after: 70 });
  });
});
