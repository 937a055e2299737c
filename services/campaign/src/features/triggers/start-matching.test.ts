import { randomUUID } from 'node:crypto';
import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { inARowAfter, published } from '../../engine.test-service.ts';

let crm: CrmPeer;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  crm = await crmPeer();
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
});

it('an event starts all workflows with its trigger, however many there are', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const end = aNode('end', { type: 'exit', data: {} });
  const id = await published(api, inARowAfter({ triggerType: 'order_placed' }, end));
  await service.sqlWithin(
    api.caller,
    `INSERT INTO workflow (name, status, nodes, edges, settings, published_version, published_trigger, draft_version)
     SELECT name, status, nodes, edges, settings, published_version, published_trigger, draft_version
     FROM workflow, generate_series(1, 250) WHERE id = $1`,
    [id],
  );
  await service.sqlWithin(
    api.caller,
    `INSERT INTO workflow_version (workflow_id, number, nodes, edges, settings)
     SELECT id, published_version, nodes, edges, settings FROM workflow WHERE id <> $1`,
    [id],
  );
  const body = { eventType: 'order_placed', eventId: randomUUID(), leadId: crm.addLead(tenantId) };
  const { status, data } = await service.as({ type: 'system', tenantId }).ingestWorkflowEvent({ body });
  expect([status, new Set(data.workflowIds).size, data.executionIds.length]).toEqual([202, 251, 251]);
});
