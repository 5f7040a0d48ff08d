import { setUp } from './targeting-rig.ts';

const { served, booked, api } = setUp();

test('line items that name a targeting meet its rules and their own, and a change of it applies to all of them', async () => {
  const one = await booked('named-1', { key_values: { part: ['a'] } });
  const { body: targeting, status } = await api()('POST', '/targetings', {
    publisher_id: one.publisher.id,
    name: 'Sport, DACH',
    targeting: { languages: ['de'], exclude: { urls: ['gazette.example/war'] } },
  });
  expect(status).toBe(201);
  expect((await api()('PATCH', `/line_items/${one.lineItem}`, { targeting_id: targeting.id })).status).toBe(200);

  const german = { device: { language: 'de' }, kv: { part: 'a' } };
  expect(await served(one, german)).toBe('served');
  expect(await served(one, { ...german, kv: { part: 'b' } })).toMatch('part is b, wanted a');
  expect(await served(one, { ...german, device: { language: 'fr' } })).toMatch('language is fr, wanted de');
  expect(await served(one, { ...german, site: { page: 'https://gazette.example/war/1' } })).toMatch('excluded gazette.example/war');

  const changed = await api()('PATCH', `/targetings/${targeting.id}`, { targeting: { languages: ['fr'] } });
  expect(changed).toMatchObject({ status: 200, body: { targeting: { languages: ['fr'], exclude: { urls: ['gazette.example/war'] } } } });
  expect(await served(one, { ...german, device: { language: 'fr' } })).toBe('served');

  const history = await api()('GET', '/audit?entity=targeting');
  expect(history.body).toMatchObject([{ action: 'update', entity: 'targeting' }, { action: 'create' }]);
  const items = await api()('GET', `/line_items?targeting_id=${targeting.id}`);
  expect(items.body).toMatchObject([{ id: one.lineItem }]);
});

test('a targeting that line items name is neither deleted nor archived', async () => {
  const one = await booked('named-2', {});
  const { body: targeting } = await api()('POST', '/targetings', { publisher_id: one.publisher.id, name: 'Sport' });
  await api()('PATCH', `/line_items/${one.lineItem}`, { targeting_id: targeting.id });

  const used = {
    status: 409,
    body: {
      code: 'conflict',
      errors: [{ detail: `line items name it: ${one.lineItem} (Boots). Set their targeting_id to another one or to null first` }],
    },
  };
  expect(await api()('DELETE', `/targetings/${targeting.id}`)).toMatchObject(used);
  expect(await api()('PATCH', `/targetings/${targeting.id}`, { archived: true })).toMatchObject(used);

  await api()('PATCH', `/line_items/${one.lineItem}`, { targeting_id: null });
  expect((await api()('DELETE', `/targetings/${targeting.id}`)).status).toBe(204);
});

test('a line item takes targetings of its own publisher only, and a publisher takes its targetings with it', async () => {
  const [one, other] = [await booked('named-3', {}), await booked('named-4', {})];
  const { body: targeting } = await api()('POST', '/targetings', { publisher_id: one.publisher.id, name: 'Sport' });

  const refused = await api()('PATCH', `/line_items/${other.lineItem}`, { targeting_id: targeting.id });
  expect(refused.body.errors).toEqual([
    { pointer: '/targeting_id', detail: `targeting ${targeting.id} is of another publisher than the campaign` },
  ]);
  await api()('PATCH', `/line_items/${one.lineItem}`, { targeting_id: targeting.id });
  expect((await api()('GET', `/publishers/${one.publisher.id}?include=counts`)).body.counts).toMatchObject({
    targetings: 1,
    line_items: 1,
  });
  expect((await api()('DELETE', `/publishers/${one.publisher.id}`)).status).toBe(204);
  expect((await api()('GET', `/targetings/${targeting.id}`)).status).toBe(404);
  expect((await api()('POST', `/publishers/${one.publisher.id}/restore`)).status).toBe(200);
  expect((await api()('GET', `/line_items/${one.lineItem}`)).body).toMatchObject({ targeting_id: targeting.id });
});

test('a publisher of a targeting does not change', async () => {
  const [one, other] = [await booked('named-5', {}), await booked('named-6', {})];
  const { body: targeting } = await api()('POST', '/targetings', { publisher_id: one.publisher.id, name: 'Sport' });
  const moved = await api()('PATCH', `/targetings/${targeting.id}`, { publisher_id: other.publisher.id });
  expect(moved.status).toBe(400);
});
