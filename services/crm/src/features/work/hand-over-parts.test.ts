import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, publishUserLeft, type TestService, until, users } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

const from = users.active;

it.each([
  ['to the successor', members.seller],
  ['to nobody without one', null],
])(
  'pending subtasks and milestones of a user who left go %s, completed ones stay, and escalation rules follow',
  async (_, reassignTo) => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const { data: lead } = await api.createLead({ body: aLead() });
    const { data: deal } = await api.convertLead({ body: { leadId: lead.id } });
    const { data: task } = await api.createTask({ body: { title: 'Prepare the demo' } });
    const target = { type: 'user', userId: from };
    const ruleBody = { name: 'Calls', match: {}, overdueMinutes: 60, action: 'notify', target };
    const { data: rule } = await api.createEscalationRule({ body: ruleBody });
    const ofTask = { id: task.id };
    const ofDeal = { oid: deal.id };
    const subtask = async () =>
      (await api.createSubtask({ params: ofTask, body: { title: 'Book a room', assignedTo: from } })).data.id;
    const milestone = async () =>
      (await api.createMilestone({ params: ofDeal, body: { title: 'Proof of concept', ownerId: from } })).data.id;
    const [done, pending] = [await subtask(), await subtask()];
    const [reached, planned] = [await milestone(), await milestone()];
    await api.completeSubtask({ params: { ...ofTask, subtaskId: done } });
    await api.completeMilestone({ params: { ...ofDeal, mid: reached } });
    if (!reassignTo) identity.left.add(from);
    try {
      await publishUserLeft({ service, tenantId }, { userId: from, reassignTo, id: randomUUID() });
      const assignees = async () => {
        const { data: subtasks } = await api.listSubtasks({ params: ofTask });
        return Object.fromEntries(subtasks.map((one: { id: string; assignedTo: string }) => [one.id, one.assignedTo]));
      };
      const owners = async () => {
        const { data: milestones } = await api.listMilestones({ params: ofDeal });
        return Object.fromEntries(milestones.map((one: { id: string; ownerId: string }) => [one.id, one.ownerId]));
      };
      await until('the milestone has moved', async () => (await owners())[planned] === reassignTo);
      expect(await owners()).toEqual({ [reached]: from, [planned]: reassignTo });
      expect(await assignees()).toEqual({ [done]: from, [pending]: reassignTo });
      const event = await until('the event arrives', () =>
        service.events.find((one) => one.name === 'milestone.updated' && one.tenantId === tenantId),
      );
      const ofRule = await until('the rule has changed', () =>
        service.events.find((one) => one.name === 'escalation_rule.updated' && one.tenantId === tenantId),
      );
      expect(ofRule.data).toMatchObject({ reason: expect.stringContaining('has left') });
      expect((await api.getEscalationRule({ params: { id: rule.id } })).data).toMatchObject({
        active: reassignTo !== null,
        target: { type: 'user', userId: reassignTo ?? from },
      });
      expect(event.changes).toEqual({ ownerId: { from: Number(from), to: reassignTo && Number(reassignTo) } });
    } finally {
      identity.left.clear();
    }
  },
);
