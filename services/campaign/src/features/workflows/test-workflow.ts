import type { Caller } from '@tandem/caller';
import { effectiveSettings, type workflowChecks } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { asService, fail, failField, reachOf } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { createGraph } from '../engine/graph.ts';
import { simulatedEffects } from '../engine/outside/simulated-effects.ts';
import { type Ready, zoneOf } from '../engine/read-batch.ts';
import { readSegments } from '../engine/segment-facts.ts';
import { type Simulated, simulate } from '../engine/simulate.ts';
import { samplePerson } from '../templates/template-data.ts';
import { messageErrors, publishErrors } from './publish-errors.ts';
import { asFullWorkflow, type WorkflowRecord } from './workflow.ts';

type Body = z.output<typeof workflowChecks.testWorkflow.body>;

/** Everything happens in the check: the walk calls other services, and changes nothing. */
export const testWorkflow = (tools: Tools): Handler<typeof workflowChecks.testWorkflow, Simulated> => ({
  async check({ params, body, caller, tx }) {
    const row = await tx.workflow.findFirst({ where: { id: params.id, deletedAt: null }, include: { campaign: true } });
    if (!row) throw fail('not_found');
    const { campaign, ...columns } = row;
    const workflow = asFullWorkflow(columns);
    const graph = createGraph(workflow);
    const errors = [
      ...publishErrors(workflow),
      ...(body.events ?? []).flatMap(({ nodeId }, index) => messageErrors(graph, `events.${index}.nodeId`, nodeId)),
    ];
    if (errors.length) throw fail('validation_failed', errors);
    const lead = await leadOf(tools, body, caller);
    const { startAt = new Date(), payload = {} } = body;
    const due = readyOf(workflow, campaign, { lead, startAt, payload, environment: caller.environment });
    const { tenantId, environment, requestId } = caller;
    const tenant = await tools.settingsOf({ tenantId: tenantId as number, environment, requestId });
    const segments = await segmentsOf(tools, tx, { due, caller, isSample: body.leadId === undefined });
    const perform = simulatedEffects(tools, tx);
    return simulate(
      {
        workflowId: workflow.id,
        graph: due.version.graph,
        settings: workflow.settings,
        lead,
        timezone: zoneOf(due, lead, tenant?.timezone),
        payload,
        segments,
        startAt,
        events: body.events ?? [],
      },
      (at) => perform({ due, ...at }),
    );
  },
  run: ({ found }) => found,
});

async function leadOf(tools: Pick<Tools, 'crm'>, { leadId, sample }: Body, caller: Caller): Promise<LeadRecord> {
  const lead = leadId === undefined ? aSample(caller) : await readLead(tools, leadId, caller);
  return { ...lead, ...(sample as Partial<LeadRecord>) };
}

async function readLead({ crm }: Pick<Tools, 'crm'>, leadId: number, caller: Caller): Promise<LeadRecord> {
  const as = asService(caller, reachOf(caller, 'leads:read'));
  const [lead] = await crm.readLeads({ body: { ids: [leadId] }, as });
  if (!lead) throw failField('leadId', unknownId('lead'));
  return lead;
}

function aSample({ tenantId }: Caller): LeadRecord {
  const now = new Date();
  return {
    ...samplePerson,
    tags: [],
    id: 0,
    tenantId: tenantId as number,
    statusCode: 'new',
    allowedTransitions: [],
    scorePinned: false,
    assignedTo: null,
    teamId: null,
    accountId: null,
    externalId: null,
    referralCode: null,
    partnerId: null,
    timezone: null,
    consent: {},
    mergedIntoId: null,
    convertedAt: null,
    convertedOpportunityId: null,
    createdBy: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** The execution that the draft would have. */
function readyOf(
  { id, tenantId, campaignId, draftVersion, nodes, edges, settings }: WorkflowRecord,
  campaign: { timezone: string | null; sendWindow: unknown; topicId: number | null } | null,
  of: { lead: LeadRecord; startAt: Date; payload: Record<string, unknown>; environment: 'live' | 'sandbox' },
): Ready {
  const graph = createGraph({ nodes, edges });
  return {
    executionId: 0,
    tenantId,
    environment: of.environment,
    workflowId: id,
    number: draftVersion,
    campaignId,
    leadId: of.lead.id,
    status: 'running',
    nodeId: graph.trigger?.nodeId ?? '',
    step: 1,
    enteredAt: of.startAt,
    dueAt: null,
    startedAt: of.startAt,
    wake: 1,
    attempts: 0,
    chain: [],
    payload: of.payload,
    workflowStatus: 'published',
    campaignStatus: null,
    campaignTimezone: campaign?.timezone ?? null,
    campaignTopicId: campaign?.topicId ?? null,
    campaignWindow: (campaign?.sendWindow ?? null) as Ready['campaignWindow'],
    // Without the version of a template its current content is used.
    version: { graph, settings, templateVersions: {} },
    settings: effectiveSettings(settings),
  };
}

/** The segments of a lead; a sample person is in none. */
async function segmentsOf(
  tools: Pick<Tools, 'ids' | 'crm'>,
  tx: Tx,
  { due, caller, isSample }: { due: Ready; caller: Caller; isSample: boolean },
): Promise<ReadonlySet<string>> {
  if (isSample) return new Set();
  const { executionId, tenantId, leadId, version } = due;
  const as = asService(caller, reachOf(caller, 'leads:read'));
  const found = await readSegments(tools, { tx, as }, [{ executionId, tenantId, leadId, graph: version.graph }]);
  return found.get(executionId) ?? new Set();
}
