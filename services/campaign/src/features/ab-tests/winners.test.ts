import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { graph, mailTests, tenantOf } from '../../ab-tests.test-service.ts';

const {
  service,
  aRunningTest,
  aTemplate,
  allGot,
  completed,
  enroll,
  leadsWith,
  look,
  open,
  resultsOf,
  sentAll,
  subjectsTo,
  waiting,
} = mailTests();
const codec = createIdCodec(process.env['IDS_ALPHABET'] as string);

describe('the winner', () => {
  it('is copied, can be any variant, and the step never empties: also after its template is gone', async () => {
    const api = service().as();
    const [own, other] = [await aTemplate(api, 'Template a'), await aTemplate(api, 'Template b')];
    const variants = [
      { key: 'a', weight: 50 },
      { key: 'b', weight: 50, templateId: other },
    ];
    const data = { templateId: codec.encode('template', tenantOf(api), Number(own)) };
    const running = await aRunningTest(api, { target: 'template', data, variants });
    const { params, workflowId } = running;
    // Everything that was copied may change or disappear.
    await api.updateTemplate({ params: { id: other }, body: { subject: 'Changed' } });
    await api.archiveTemplate({ params: { id: own } });
    expect((await api.deleteTemplate({ params: { id: other } })).status).toBe(200);
    const { a = [], all } = leadsWith(api, running, { a: 2, b: 2 });
    await enroll(api, workflowId, all);
    const messages = await sentAll(api, workflowId, 4);
    const templates = new Map(messages.map(({ subject, templateId }) => [subject, templateId]));
    expect(templates).toEqual(
      new Map([
        ['Template a', own],
        ['Template b', other],
      ]),
    );
    await open(api, a[0] as string);
    expect((await resultsOf(api, params)).leader).toBe('a');
    const { data: test } = await api.declareAbTestWinner({ params, body: { variantKey: 'b' } });
    expect(test).toMatchObject({ status: 'completed', winnerKey: 'b', decidedBy: 'user' });
    const { all: later } = leadsWith(api, running, { a: 2, b: 2 });
    await enroll(api, workflowId, later);
    await allGot(later);
    expect(later.map((leadId) => subjectsTo(leadId))).toEqual(later.map(() => ['Template b']));
    const after = (await sentAll(api, workflowId, 8)).filter(({ leadId }) => later.includes(leadId as string));
    expect(after.every(({ variant, abTestId }) => variant === 'b' && abTestId === null)).toBe(true);
    const { variants: results } = await resultsOf(api, params);
    expect(results.map(({ sent }: { sent: number }) => sent)).toEqual([2, 2]);
  });

  it('is sent until the content of the node is changed', async () => {
    const api = service().as();
    const running = await aRunningTest(api);
    const { params, workflowId } = running;
    await api.declareAbTestWinner({ params, body: { variantKey: 'b' } });
    const { a: [one, two] = [] } = leadsWith(api, running, { a: 2 }) as { a?: [string, string] };
    if (!one || !two) throw new Error('There are no leads');
    await enroll(api, workflowId, [one]);
    await allGot([one]);
    await api.updateWorkflow({ params: { id: workflowId }, body: graph({ subjectLine: 'New subject' }) });
    await api.publishWorkflow({ params: { id: workflowId }, body: {} });
    await enroll(api, workflowId, [two]);
    await allGot([two]);
    expect([subjectsTo(one), subjectsTo(two)]).toEqual([['Subject b'], ['New subject']]);
  });

  it('is chosen by itself when it is significant, and the leads that wait for it get it', async () => {
    const api = service().as();
    const running = await aRunningTest(api, { autoPromote: true, samplePercent: 60, minSample: 4 });
    const { params, workflowId } = running;
    const { none = [], b = [], all } = leadsWith(api, running, { a: 8, b: 8, none: 5 });
    await enroll(api, workflowId, all);
    await sentAll(api, workflowId, 16);
    await waiting(api, workflowId, 5);
    await look(api);
    await until('the job has looked and waits', async () => {
      const [job] = await service().sqlWithin(
        api.caller,
        // A tenth of 72 hours after the start.
        `SELECT due_at > now() + interval '7 hours' AS later FROM platform.job WHERE name = 'examine-ab-test'`,
      );
      return job?.later === true;
    });
    expect((await api.getAbTest({ params })).data.status).toBe('running');
    for (const leadId of b) await open(api, leadId);
    expect(await resultsOf(api, params)).toMatchObject({
      leader: 'b',
      isSignificant: true,
      canPromote: true,
      requiredConfidence: 0.999,
    });
    await look(api);
    const test = await completed(api, params);
    expect(test).toMatchObject({ winnerKey: 'b', decidedBy: 'automatic', inconclusive: false });
    await allGot(all);
    expect(none.flatMap(subjectsTo)).toEqual(none.map(() => 'Subject b'));
    const event = await until('the event arrives', () =>
      service().events.find(({ name, tenantId }) => name === 'ab_test.completed' && tenantId === tenantOf(api)),
    );
    expect(event.data).toMatchObject({ winnerKey: 'b', decidedBy: 'automatic', inconclusive: false });
  });

  it('is flagged as inconclusive at the end of a test without a significant leader', async () => {
    const api = service().as();
    const running = await aRunningTest(api, { autoPromote: true, samplePercent: 50 });
    const { params, workflowId } = running;
    const { none = [], b = [], all } = leadsWith(api, running, { a: 1, b: 1, none: 2 });
    await enroll(api, workflowId, all);
    await sentAll(api, workflowId, 2);
    await waiting(api, workflowId, 2);
    await open(api, b[0] as string);
    await service().sqlWithin(api.caller, 'UPDATE ab_test SET ends_at = now() WHERE id = $1', [params.testId]);
    await look(api);
    expect(await completed(api, params)).toMatchObject({ winnerKey: 'b', decidedBy: 'automatic', inconclusive: true });
    await allGot(all);
    expect(none.flatMap(subjectsTo)).toEqual(['Subject b', 'Subject b']);
  });
});

describe('a stopped test', () => {
  it('gives the original to the leads that wait, and to all later ones', async () => {
    const api = service().as();
    const variants = [
      { key: 'b', weight: 50, override: { subjectLine: 'Subject b' } },
      { key: 'c', weight: 50, override: { subjectLine: 'Subject c' } },
    ];
    const running = await aRunningTest(api, { variants, autoPromote: true, samplePercent: 1 });
    const { params, workflowId } = running;
    const { all: leads } = leadsWith(api, running, { none: 5 });
    await enroll(api, workflowId, leads);
    const held = await waiting(api, workflowId, 5);
    // Not longer than the test.
    for (const { dueAt } of held)
      expect(new Date(dueAt).getTime() - Date.now()).toBeLessThanOrEqual(72 * 3_600_000 + 5 * 60_000);
    await api.stopAbTest({ params });
    await allGot(leads);
    expect(new Set(leads.flatMap(subjectsTo))).toEqual(new Set(['Subject a']));
    const messages = await sentAll(api, workflowId, 5);
    expect(messages.every(({ variant, abTestId }) => variant === null && abTestId === null)).toBe(true);
  });
});
