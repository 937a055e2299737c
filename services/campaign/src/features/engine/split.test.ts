import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type Api, published } from '../../engine.test-service.ts';

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

const leadsOf = (api: Api, count: number) =>
  Array.from({ length: count }, () => crm.addLead(api.caller.tenantId as number));

/** A split whose variants end with their own reason. */
function splitting(weights: Record<string, number>, label = 'Split') {
  const variants = Object.entries(weights).map(([key, weight]) => ({ key, weight }));
  const ends = variants.map(({ key }) => aNode(`end-${key}`, { type: 'exit', data: { reason: `took ${key}` } }));
  return {
    nodes: [
      aNode('start', { type: 'trigger', data: {} }),
      aNode('split', { type: 'split', data: { label, variants } }),
      ...ends,
    ],
    edges: [
      { edgeId: 'in', source: 'start', target: 'split' },
      ...variants.map(({ key }) => ({ edgeId: key, source: 'split', target: `end-${key}`, branch: key })),
    ],
  };
}

/** Enrolls leads, and returns how each went through the workflow, by lead, once all have. */
async function wentThrough(api: Api, id: string, leadIds: readonly string[], version = 1) {
  for (let at = 0; at < leadIds.length; at += 250)
    expect((await api.enrollLeads({ params: { id }, body: { leadIds: leadIds.slice(at, at + 250) } })).status).toBe(
      200,
    );
  const rows = await until('all leads have gone through', async () => {
    const found = await service.sqlWithin(
      api.caller,
      `SELECT lead_id::text AS lead, end_reason AS reason, result ->> 'variant' AS variant
       FROM execution JOIN execution_step AS step ON step.execution_id = execution.id AND step.type = 'split'
       WHERE workflow_id = $1 AND execution.number = $2 AND execution.status = 'exited'`,
      [id, version],
    );
    return found.length === leadIds.length && (found as { lead: string; reason: string; variant: string }[]);
  });
  return new Map(rows.map((row) => [row.lead, row]));
}

it('a split divides leads by its weights, and its step names the variant that the lead takes', async () => {
  const api = service.as();
  const leadIds = leadsOf(api, 1_000);
  const id = await published(api, splitting({ a: 20, b: 80 }));
  const went = await wentThrough(api, id, leadIds);
  for (const { reason, variant } of went.values()) expect(reason).toBe(`took ${variant}`);
  const share = [...went.values()].filter(({ variant }) => variant === 'a').length / leadIds.length;
  // Four standard deviations of 1,000 leads.
  expect(Math.abs(share - 0.2)).toBeLessThan(0.05);
});

it('a split gives a lead the same variant again, also in another version, and other splits divide independently', async () => {
  const api = service.as();
  const leadIds = leadsOf(api, 100);
  const id = await published(api, splitting({ a: 50, b: 50 }), { reentry: 'always' });
  const first = await wentThrough(api, id, leadIds);
  await api.updateWorkflow({ params: { id }, body: splitting({ a: 50, b: 50 }, 'Changed') });
  expect((await api.publishWorkflow({ params: { id }, body: {} })).data.publishedVersion).toBe(2);
  const second = await wentThrough(api, id, leadIds, 2);
  const variantsOf = (went: typeof first) => leadIds.map((lead) => went.get(lead)?.variant);
  expect(variantsOf(second)).toEqual(variantsOf(first));
  const other = await wentThrough(api, await published(api, splitting({ a: 50, b: 50 })), leadIds);
  expect(variantsOf(other)).not.toEqual(variantsOf(first));
});
