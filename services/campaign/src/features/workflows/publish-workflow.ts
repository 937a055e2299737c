import { isDeepStrictEqual } from 'node:util';
import { actingUserId } from '@tandem/caller';
import { workflowPublished, type workflows } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import { fail, reachOf, toJsonColumn, transitionError } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { enrollInNewSequence } from '../campaigns/enroll-audience.job.ts';
import { channelErrors, holdCampaignOf } from '../campaigns/hold-campaign.ts';
import { createGraph } from '../engine/graph.ts';
import { migrateExecutionsJob } from '../engine/migrate-executions.job.ts';
import type { TemplateVersions } from '../engine/versions.ts';
import { scheduleTrigger } from '../scheduled-triggers/schedule-trigger.ts';
import { newSecret } from '../workflow-secrets/secret.ts';
import { draftErrors } from './draft-errors.ts';
import { graphColumns } from './enterable.ts';
import { checkNodePermissions } from './node-permissions.ts';
import { outsideErrors } from './outside-errors.ts';
import { readTemplateVersions } from './template-versions.ts';
import { asFullWorkflow, findWorkflowRow, lockWorkflow, triggerTypeOf, type WorkflowRecord } from './workflow.ts';

/**
 * Freezes the draft, with the current content of its templates, as the next version. Leads that are in an earlier version
 * stay there; with `migrate` those whose current node exists in the new version, with the same type, are moved by a job.
 */
export const publishWorkflow = (tools: Tools): Handler<typeof workflows.publishWorkflow, FieldError[]> => ({
  async check({ params, caller, tx }) {
    return outsideErrors(tools, asFullWorkflow(await findWorkflowRow(tx, params.id)), caller);
  },
  async run({ params, body, found, caller, tx, emit, schedule, ifMatch }) {
    const campaign = await holdCampaignOf(tx, params.id);
    const row = await lockWorkflow(tx, params.id);
    const workflow = asFullWorkflow(row);
    ifMatch(workflow);
    const { status, allowedTransitions } = workflow;
    if (status === 'archived') throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
    checkNodePermissions(caller, workflow);
    // A paused workflow gets its next version, and stays paused.
    const to = status === 'draft' ? 'published' : status;
    const errors = [...(await draftErrors(tools, tx, workflow)), ...channelErrors(campaign, workflow.nodes), ...found];
    if (errors.length) throw fail('validation_failed', errors);
    const { templateVersions } = await readTemplateVersions(tools, tx, row.tenantId, workflow);
    const migrateTo = (version: number) =>
      schedule(migrateExecutionsJob, [{ workflowId: row.id, number: version, afterLeadId: 0 }]);
    if (workflow.publishedVersion !== null && (await isUnchanged(tx, workflow, templateVersions))) {
      if (!body.migrate) throw fail('nothing_to_publish');
      // Leads that stayed in earlier versions, because those were replaced without `migrate`.
      await migrateTo(workflow.publishedVersion);
      return workflow;
    }
    const number = workflow.draftVersion;
    await tx.workflowVersion.create({
      data: {
        workflowId: row.id,
        number,
        nodes: workflow.nodes.map(toJsonColumn),
        edges: workflow.edges,
        settings: toJsonColumn(workflow.settings),
        templateVersions: { ...templateVersions },
        publishedBy: actingUserId(caller) ?? null,
      },
    });
    const [written] = await tx.workflow.updateManyAndReturn({
      where: { id: row.id },
      data: {
        status: to,
        publishedVersion: number,
        publishedTrigger: triggerTypeOf(workflow),
        draftVersion: number + 1,
        // Requests of webhook nodes are always signed.
        ...(row.secret === null && hasWebhook(workflow) && { secret: newSecret(tools, row.id).sealed }),
        version: { increment: 1 },
      },
    });
    if (!written) throw fail('not_found');
    if (body.migrate) await migrateTo(number);
    const published = asFullWorkflow(written);
    if (to === 'published') await scheduleTrigger({ tx, schedule }, row.id, createGraph(published).trigger);
    if (status === 'draft' && campaign) await enrollInNewSequence(schedule, campaign, reachOf(caller, 'leads:read'));
    emit(workflowPublished, {
      data: { workflowId: row.id, campaignId: row.campaignId, publishedVersion: number },
      record: published,
      changes: {
        ...(to !== status && { status: { from: status, to } }),
        publishedVersion: { from: workflow.publishedVersion, to: number },
      },
    });
    return published;
  },
});

function hasWebhook({ nodes }: WorkflowRecord): boolean {
  return nodes.some(({ type }) => type === 'webhook');
}

/** Whether the published version has the same graph, settings and contents of templates. */
async function isUnchanged(
  tx: Tx,
  { id, publishedVersion, nodes, edges, settings }: WorkflowRecord,
  templateVersions: TemplateVersions,
): Promise<boolean> {
  const row = await tx.workflowVersion.findFirst({ where: { workflowId: id, number: publishedVersion ?? 0 } });
  const wanted = [{ nodes, edges, settings }, templateVersions];
  return row !== null && isDeepStrictEqual([graphColumns.parse(row), row.templateVersions], wanted);
}
