import { startFleet, type TestFleet } from '@tandem/test-fleet';

let fleet: TestFleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet?.stop());

/** A tenant whose owner has a notification with a button that creates a task. */
async function aButton() {
  const email = `${crypto.randomUUID()}@example.com`;
  const owner = { email, password: 'correct horse battery', firstName: 'Ada', lastName: 'Lovelace' };
  const { data } = await fleet.api().createTenant({ body: { name: 'Engines', owner } });
  const api = fleet.api({ accessToken: data.accessToken, tenantId: data.tenant.id });
  const { data: lead } = await api.createLead({
    body: { firstName: 'Grace', lastName: 'Hopper', email: `${crypto.randomUUID()}@example.com` },
  });
  const action = { id: 'call', label: 'Create the task', type: 'api', url: '/v1/tasks' } as const;
  const { data: batch } = await api.createNotification({
    body: {
      title: 'Nobody called',
      body: 'Grace Hopper waits for a call.',
      userIds: [data.user.id],
      actions: [{ ...action, body: { title: 'Call back', leadId: lead.id, assignedTo: data.user.id } }],
    },
  });
  const params = { id: batch.notifications[0]?.id as string, actionId: 'call' };
  const tasks = async () => (await api.listTasks()).data.map(({ title, leadId }) => ({ title, leadId }));
  return { api, params, tasks, task: { title: 'Call back', leadId: lead.id } };
}

it('a button carries out its operation exactly once, however often it is pressed', async () => {
  const { api, params, tasks, task } = await aButton();
  const press = () =>
    api.pressNotificationAction({ params }).then(
      ({ data }) => data.result,
      ({ code }: { code: string }) => code,
    );
  const pressed = await Promise.all([press(), press(), press()]);
  expect(pressed.filter((one) => one !== 'already_pressed')).toEqual([{ status: 201, code: null }]);
  expect(await press()).toBe('already_pressed');
  expect(await tasks()).toEqual([task]);
  expect((await api.getNotification({ params: { id: params.id } })).data.actions[0]).toMatchObject({
    pressedAt: expect.any(String),
    result: { status: 201, code: null },
  });
});

it('a repetition with the Idempotency-Key of a lost response returns the first response', async () => {
  const { api, params, tasks, task } = await aButton();
  const press = () => api.pressNotificationAction({ params, idempotencyKey: 'press' });
  expect([(await press()).data.result, (await press()).data.result]).toEqual([
    { status: 201, code: null },
    { status: 201, code: null },
  ]);
  expect(await tasks()).toEqual([task]);
});

it('a caller without the permission of the operation gets 403 as its result, and nothing changes', async () => {
  const { api, params, tasks } = await aButton();
  const { data: key } = await api.createApiKey({ body: { name: 'Reader', permissions: ['notifications:read'] } });
  const { data } = await fleet.api({ apiKey: key.fullKey }).pressNotificationAction({ params });
  expect(data.result).toEqual({ status: 403, code: 'forbidden' });
  expect(await tasks()).toEqual([]);
});
