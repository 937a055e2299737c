import { until } from '@tandem/testing';
import { aForm, asVisitor, publicIdOf } from '../../campaign.test-service.ts';
import { type Api, type Engine, startEngine } from '../../engine.test-service.ts';

let engine: Engine;
let { crm, mailbox, service } = {} as Engine;
beforeAll(async () => {
  engine = await startEngine();
  ({ crm, mailbox, service } = engine);
});
afterAll(() => engine?.close());

/** Submits a form, confirms the address if the form asks for that, and waits until the submission is processed. */
async function subscribe(api: Api, email: string, { consent = true, doubleOptIn = true } = {}) {
  const { data: form } = await api.createForm({ body: aForm({ consentText: 'I agree', doubleOptIn }) });
  await api.publishForm({ params: { id: form.id } });
  await asVisitor(service, 'submitForm', { params: { id: publicIdOf(form) }, body: { fields: { email }, consent } });
  if (doubleOptIn) {
    const mail = await until('the mail arrives', () => mailbox.to(email)[0]);
    const token = /forms\/confirm\/(\S+)/.exec(mail.text)?.[1] as string;
    expect((await asVisitor(service, 'confirmFormSubmission', { params: { token } })).status).toBe(200);
  }
  await until('the submission is processed', async () => {
    const [one] = (await api.listFormSubmissions({ params: { id: form.id } })).data;
    return one?.status === 'processed';
  });
}
const reasonsOf = async (api: Api, value: string) =>
  (await api.listSuppressions({ query: { value } })).data.map(({ reason }: { reason: string }) => reason).sort();
const suppressed = (api: Api, value: string, fields: Record<string, unknown> = {}) =>
  api.createSuppression({ body: { channel: 'email', value, reason: 'unsubscribe', ...fields } });
const removalsOf = (api: Api) =>
  service.events.filter((one) => one.name === 'suppression.removed' && one.tenantId === api.caller.tenantId);

it('a confirmed consent ends the unsubscriptions of the address, and nothing else', async () => {
  const api = service.as();
  const email = 'again@example.com';
  const topicId = (await api.createTopic({ body: { name: 'News' } })).data.id;
  await suppressed(api, email);
  await suppressed(api, email, { topicId });
  for (const reason of ['complaint', 'hard_bounce', 'manual']) await suppressed(api, email, { reason });
  await suppressed(api, 'other@example.com');
  await subscribe(api, 'Again@example.com');
  expect(await reasonsOf(api, email)).toEqual(['complaint', 'hard_bounce', 'manual']);
  expect(await reasonsOf(api, 'other@example.com')).toEqual(['unsubscribe']);
  await until('the events arrive', () => removalsOf(api).length === 2);
  expect(removalsOf(api)[0]).toMatchObject({ data: { reason: 'unsubscribe', note: 'The person confirmed a form' } });
});

it('without a consent or a confirmation the address stays unsubscribed', async () => {
  const api = service.as();
  for (const choice of [{ consent: false }, { doubleOptIn: false }]) {
    const email = `${Object.keys(choice)}@example.com`.toLowerCase();
    await suppressed(api, email);
    await subscribe(api, email, choice);
    expect(await reasonsOf(api, email)).toEqual(['unsubscribe']);
  }
});

it('an unsubscription after the confirmation stays, even if crm was down in between', async () => {
  const api = service.as();
  const email = 'late@example.com';
  crm.isDown = true;
  const subscribed = subscribe(api, email);
  await until('the address is confirmed', async () => {
    const [row] = await service.sqlWithin(api.caller, 'SELECT FROM form_submission WHERE confirmed_at IS NOT NULL');
    return row;
  });
  await suppressed(api, email);
  crm.isDown = false;
  await subscribed;
  expect(await reasonsOf(api, email)).toEqual(['unsubscribe']);
});
