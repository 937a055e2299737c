import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from './campaign.test-service.ts';
import { type CrmPeer, crmPeer } from './crm-peer.test-service.ts';
import { assignedVariant } from './features/ab-tests/assigned-variant.ts';

type Api = ReturnType<TestService<typeof campaign>['as']>;
type Fields = Record<string, unknown>;
type Params = { id: string; testId: string };

export const tenantOf = (api: Api) => api.caller.tenantId as number;
const person = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';

/** A workflow with the node `mail`, and further ones. */
export const graph = (data: Fields, others: readonly string[] = []) => {
  const start = aNode('start', { type: 'trigger', data: { triggerType: 'manual' } });
  const nodes = [start, aNode('mail', { data }), ...others.map((nodeId) => aNode(nodeId, { type: 'exit', data: {} }))];
  const edges = nodes
    .slice(1)
    .map(({ nodeId }, index) => ({ edgeId: `e${index}`, source: nodes[index]?.nodeId as string, target: nodeId }));
  return { nodes, edges };
};

const subjects = [
  { key: 'a', weight: 50 },
  { key: 'b', weight: 50, override: { subjectLine: 'Subject b' } },
];

interface Running {
  test: Parameters<typeof assignedVariant>[0];
}

/** Starts campaign with a crm and a mailbox for the tests of a file, and returns what they do with running tests. */
export function mailTests() {
  let crm: CrmPeer;
  let mailbox: Mailbox;
  let service: TestService<typeof campaign>;
  beforeAll(async () => {
    [crm, mailbox] = await Promise.all([crmPeer(), startMailbox()]);
    service = await startCampaign(undefined, undefined, { CRM_URL: crm.url, SMTP_URL: mailbox.smtpUrl });
  });
  afterAll(async () => {
    await service?.close();
    await Promise.all([crm?.close(), mailbox?.close()]);
  });

  /** A campaign with a published workflow of one e-mail, and a running test of it. */
  async function aRunningTest(
    api: Api,
    { data = { subjectLine: 'Subject a' }, ...fields }: Fields & { data?: Fields } = {},
  ) {
    const { data: campaign } = await api.createCampaign({ body: { name: 'Spring', status: 'active' } });
    const body = { name: 'Welcome', campaignId: campaign.id, settings: { reentry: 'always' }, ...graph(data) };
    const { data: workflow } = await api.createWorkflow({ body });
    const reply = await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
    expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
    const created = await api.createAbTest({
      params: { id: campaign.id },
      body: { name: 'Subject', target: 'subject', metric: 'open', variants: subjects, ...fields },
    });
    expect([created.status, created.body.errors]).toEqual([201, undefined]);
    const params: Params = { id: campaign.id, testId: created.data.id };
    const started = await api.startAbTest({ params });
    expect([started.status, started.body.errors]).toEqual([200, undefined]);
    return { params, workflowId: workflow.id as string, test: { ...started.data, id: Number(params.testId) } };
  }

  /** Leads whom a test assigns to variants, so many of each; `none` are outside of the sample. */
  function leadsWith(api: Api, { test }: Running, wanted: Record<string, number>) {
    const found: Record<string, string[]> = Object.fromEntries(Object.keys(wanted).map((key) => [key, []]));
    while (Object.entries(wanted).some(([key, count]) => (found[key]?.length ?? 0) < count)) {
      const leadId = crm.addLead(tenantOf(api));
      const key = assignedVariant(test, Number(leadId)) ?? 'none';
      if ((found[key]?.length ?? 0) < (wanted[key] ?? 0)) found[key]?.push(leadId);
    }
    return { ...found, all: Object.values(found).flat() } as Record<string, string[]> & { all: string[] };
  }

  async function enroll(api: Api, id: string, leadIds: string[]) {
    const { data } = await api.enrollLeads({ params: { id }, body: { leadIds } });
    expect(data.results.filter(({ result }: { result: string }) => result !== 'enrolled')).toEqual([]);
  }

  const subjectsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`).map(({ subject }) => subject);
  const allGot = (leadIds: readonly string[], count = 1) =>
    until('the messages arrive', () => leadIds.every((leadId) => subjectsTo(leadId).length === count));

  /** Holds back the answer of the mail server for a lead. */
  const hold = (leadId: string) => mailbox.hold(`lead${leadId}@example.com`);

  const messagesOf = async (api: Api, workflowId: string) =>
    (await api.listMessages({ query: { workflowId, limit: '100' } })).data as Record<string, string | null>[];
  const sentAll = (api: Api, workflowId: string, count: number) =>
    until('the messages are recorded as sent', async () => {
      const messages = (await messagesOf(api, workflowId)).filter(({ status }) => status === 'sent');
      return messages.length === count && messages;
    });

  const waiting = (api: Api, workflowId: string, count: number) =>
    until(`${count} executions wait`, async () => {
      const { data } = await api.listWorkflowExecutions({ params: { id: workflowId }, query: { status: 'waiting' } });
      return data.length === count && (data as { id: string; dueAt: string }[]);
    });

  /** Opens the message of a lead, an hour after it was sent: a person takes longer than a scanner. */
  async function open(api: Api, leadId: string, userAgent = person) {
    await service.sqlWithin(api.caller, `UPDATE message SET sent_at = sent_at - interval '1 hour' WHERE lead_id = $1`, [
      leadId,
    ]);
    const [mail] = mailbox.to(`lead${leadId}@example.com`);
    const [, token] = /\/v1\/public\/t\/o\/([^"]+)"/.exec(mail?.html ?? '') ?? [];
    const as = service.as({ type: 'anonymous', userAgent } as never);
    expect((await as.trackOpen({ params: { token: token as string } })).status).toBe(200);
  }

  /** Lets the next look at a running test happen now. */
  const look = (api: Api) =>
    service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'examine-ab-test' AND state = 'waiting'`,
    );
  const resultsOf = async (api: Api, params: Params) => (await api.getAbTestResults({ params })).data;
  const completed = (api: Api, params: Params) =>
    until('the test is completed', async () => {
      const { data } = await api.getAbTest({ params });
      return data.status === 'completed' && data;
    });

  async function aTemplate(api: Api, subject: string) {
    const body = { name: subject, channel: 'email', subject, text: `Text of ${subject}` };
    const { data } = await api.createTemplate({ body });
    await api.activateTemplate({ params: { id: data.id } });
    return data.id as string;
  }

  return {
    service: () => service,
    aRunningTest,
    leadsWith,
    enroll,
    subjectsTo,
    allGot,
    hold,
    messagesOf,
    sentAll,
    waiting,
    open,
    look,
    resultsOf,
    completed,
    aTemplate,
  };
}
