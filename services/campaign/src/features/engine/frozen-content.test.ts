import { createIdCodec } from '@tandem/ids';
import { until } from '@tandem/testing';
import { aNode } from '../../campaign.test-service.ts';
import { type Api, type Engine, migrated, startEngine } from '../../engine.test-service.ts';

let engine: Engine;
let { crm, mailbox, service } = {} as Engine;
beforeAll(async () => {
  engine = await startEngine();
  ({ crm, mailbox, service } = engine);
});
afterAll(() => engine?.close());

/** A published workflow that sends an active template, and what changes both. */
async function published(api: Api) {
  const body = { name: 'Welcome', channel: 'email', subject: 'First', html: '<p>First</p>' };
  const { data: template } = await api.createTemplate({ body });
  const params = { id: template.id };
  await api.activateTemplate({ params });
  const codec = createIdCodec(process.env.IDS_ALPHABET as string);
  const templateId = codec.encode('template', api.caller.tenantId as number, Number(template.id));
  const nodes = [
    aNode('start', { type: 'trigger', data: { triggerType: 'manual' } }),
    aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'hours' } }),
    aNode('mail', { type: 'email', data: { templateId } }),
  ];
  const edges = [
    { edgeId: 'a', source: 'start', target: 'pause' },
    { edgeId: 'b', source: 'pause', target: 'mail' },
  ];
  const { data: workflow } = await api.createWorkflow({ body: { name: 'Test', nodes, edges } });
  const publish = (migrate = false) => api.publishWorkflow({ params: { id: workflow.id }, body: { migrate } });
  expect((await publish()).status).toBe(200);
  return {
    workflow,
    params,
    publish,
    edit: (subject: string) => api.updateTemplate({ params, body: { subject, html: `<p>${subject}</p>` } }),
    /** Enrolls a lead, which waits before the mail. */
    async enroll() {
      const leadId = crm.addLead(api.caller.tenantId as number);
      await api.enrollLeads({ params: { id: workflow.id }, body: { leadIds: [leadId] } });
      await until('the lead waits', async () => (await executionOf(api, leadId, workflow.id))?.status === 'waiting');
      return leadId;
    },
    /** The mail that a lead gets when its wait ends. */
    async mailOf(leadId: string) {
      const { id } = await executionOf(api, leadId, workflow.id);
      await service.sqlWithin(api.caller, `UPDATE execution SET due_at = now() WHERE id = ${id}`);
      await service.sqlWithin(
        api.caller,
        `UPDATE platform.job SET due_at = now() WHERE name = 'advance-executions' AND payload ->> 'executionId' = '${id}'`,
      );
      const mail = await until('the mail arrives', () => mailbox.to(`lead${leadId}@example.com`)[0]);
      return [mail.subject, /<p>(\w+)<\/p>/.exec(mail.html ?? '')?.[1]];
    },
  };
}

const executionOf = async (api: Api, leadId: string, id: string) =>
  (await api.listWorkflowExecutions({ params: { id }, query: { leadId } })).data[0];

it('a lead gets the content that its version was published with, whatever happens to the template', async () => {
  const api = service.as();
  const { edit, enroll, mailOf, params, workflow } = await published(api);
  const [first, second] = [await enroll(), await enroll()];
  expect((await edit('Second')).status).toBe(200);
  expect(await mailOf(first)).toEqual(['First', 'First']);
  expect((await api.archiveTemplate({ params })).status).toBe(200);
  expect(await mailOf(second)).toEqual(['First', 'First']);
  const deleted = await api.deleteTemplate({ params });
  expect([deleted.status, deleted.body.code]).toEqual([409, 'template_in_use']);
  const { data } = await api.listMessages({ query: { workflowId: workflow.id } });
  expect(data.map(({ templateId }: { templateId: string }) => templateId)).toEqual([params.id, params.id]);
});

it('the next publication sends the new content to leads that enter, and to those that migrate', async () => {
  const api = service.as();
  const { edit, enroll, mailOf, publish } = await published(api);
  expect((await publish()).body.code).toBe('nothing_to_publish');
  const stays = await enroll();
  await edit('Second');
  expect((await publish()).data.publishedVersion).toBe(2);
  const enters = await enroll();
  expect(await mailOf(stays)).toEqual(['First', 'First']);
  await edit('Third');
  expect((await publish(true)).status).toBe(200);
  await migrated(service, api);
  expect(await mailOf(enters)).toEqual(['Third', 'Third']);
});
