import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { type ImapServer, startImapServer, until } from '@tandem/testing';
import { firstMail } from './recipient.ts';

let mailbox: ImapServer;
let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  mailbox = await startImapServer();
  fleet = await startFleet({ services: ['identity', 'crm', 'campaign', 'integrations'] });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await mailbox?.close();
}, 60_000);

/** Sends the message of a workflow to a new lead; returns its execution and the message. */
async function aSentMessage(name: string) {
  const { api } = tenant;
  const email = `${name}-${tenant.id}@example.com`.toLowerCase();
  const { data: lead } = await api.createLead({ body: { email, firstName: 'Ada', lastName: 'Lovelace' } });
  const node = (nodeId: string, type: string, data: object) => ({ nodeId, type, position: { x: 0, y: 0 }, data });
  const body = {
    name,
    nodes: [
      node('start', 'trigger', { label: 'Start', triggerType: 'manual' }),
      node('mail', 'email', { label: 'Mail', subjectLine: 'Hello', html: '<p>Hello</p>' }),
      node('pause', 'wait', { label: 'Pause', duration: 1, durationUnit: 'days' }),
    ],
    edges: [
      { edgeId: 'one', source: 'start', target: 'mail' },
      { edgeId: 'two', source: 'mail', target: 'pause' },
    ],
  };
  const { data: workflow } = await api.createWorkflow({ body: body as never });
  await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
  const enrolled = await api.enrollLeads({ params: { id: workflow.id }, body: { leadIds: [lead.id] } });
  const id = (enrolled.data as { results: { executionId: string }[] }).results[0]?.executionId as string;
  const messageId = await until('the message is sent', () => {
    const [mail] = fleet.mailbox.to(email);
    return mail && String(firstMail(fleet, email).headers['message-id']);
  });
  const statusOf = async () => {
    const { data } = await api.getWorkflowExecution({ params: { id } });
    return [data.status, data.endReason];
  };
  await until('the workflow waits', async () => (await statusOf())[0] === 'waiting');
  return { email, messageId, statusOf };
}

it('ends the sequence of a lead whose reply arrives in a connected mailbox', async () => {
  const { api } = tenant;
  const [replies, isAway] = [await aSentMessage('replies'), await aSentMessage('away')];
  const credentials = { host: '127.0.0.1', port: mailbox.port, username: 'ada', password: 'a"b\\c' };
  const { data: connection } = await api.createConnection({
    body: { connectorKey: 'imap', name: 'Sales mailbox', credentials },
  });
  const { data: config } = await api.createConnectorConfig({
    body: { connectorKey: 'imap', connectionId: connection.id, settings: { folder: 'INBOX', everyMinutes: null } },
  });
  const answer = ({ email, messageId }: typeof replies, more = '') =>
    mailbox.append(
      `Message-ID: <${crypto.randomUUID()}@example.com>\nFrom: ${email}\nIn-Reply-To: ${messageId}\n${more}Subject: Re: Hello\n\nThanks!`,
    );
  answer(replies);
  answer(isAway, 'Auto-Submitted: auto-replied\n');
  mailbox.append('Message-ID: <news@example.com>\nSubject: News\n\nNews');
  await api.syncConnectorConfig({ params: { id: config.id }, body: {} });
  await until('the reply ends the sequence', async () => (await replies.statusOf())[0] === 'exited');
  expect(await replies.statusOf()).toEqual(['exited', 'reply']);
  const { data: run } = await until('the run has ended', async () => {
    const { data } = await api.listConnectorRuns({ params: { id: config.id } });
    const ended = data.find(({ counts }) => counts.updated === 2);
    return ended?.status === 'succeeded' && { data: ended };
  });
  expect(run.counts).toMatchObject({ updated: 2, unchanged: 1, failed: 0 });
  const { data: items } = await api.listConnectorRunItems({ params: { id: config.id, runId: run.id } });
  expect(items.map(({ reason }) => reason).toSorted()).toEqual(['auto_replied', 'replied']);
  expect(await isAway.statusOf()).toEqual(['waiting', null]);
});
