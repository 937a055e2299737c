import { failField } from '@tandem/service';
import type { AbTest as AbTestRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { dataOf, type GraphNode } from '../engine/graph.ts';
import { originalOf } from '../engine/outside/contents.ts';
import { readVersions, type Version } from '../engine/versions.ts';
import { findTemplate } from '../templates/template.ts';
import type { AbTestRecord, VariantRecord } from './ab-test.ts';
import { baselineOf, type StoredMessage } from './node-tests.ts';

// Campaigns have some workflows; with more than these, the test must name its workflow.
const workflowsMax = 100;

type Original = NonNullable<Awaited<ReturnType<typeof originalOf>>>;

/** Finds the node of a test, and copies the content of every variant. */
export async function copyMessages(
  tools: Pick<Tools, 'ids'>,
  tx: Tx,
  { test, row }: { test: AbTestRecord; row: Pick<AbTestRow, 'environment'> },
) {
  const { workflowId, node, version } = await findNode(tx, test, row.environment);
  const data = dataOf(node, 'email');
  const original = await originalOf(tools, tx, { tenantId: test.tenantId, data, version });
  const contents: Record<string, StoredMessage> = {};
  for (const [index, variant] of test.variants.entries())
    contents[variant.key] = await copyOf(tx, variant, { index, original });
  return { workflowId, nodeId: node.nodeId, contents, baseline: baselineOf(data) };
}

async function copyOf(
  tx: Tx,
  { templateId, override = {} }: VariantRecord,
  { index, original }: { index: number; original: Original | undefined },
): Promise<StoredMessage> {
  if (templateId !== undefined) {
    const template = await findTemplate(tx, templateId);
    if (template?.status !== 'active')
      throw failField(`variants.${index}.templateId`, 'The template is not active; activate it before the test starts');
    const { subject, preheader, html, text, variables } = template;
    return { subject, preheader, html, text, variables, templateId, at: null };
  }
  if (!original) throw failField('nodeId', 'The template of the node was deleted; use another one in the workflow');
  const { content } = original;
  return {
    ...content,
    variables: [...content.variables],
    subject: override.subjectLine ?? content.subject,
    templateId: original.templateId,
    at: override.at ?? null,
  };
}

/** The e-mail node that the test names, or the only one of the published workflows of the campaign. */
async function findNode(
  tx: Tx,
  { tenantId, campaignId, workflowId, nodeId }: AbTestRecord,
  environment: string,
): Promise<{ workflowId: number; node: GraphNode; version: Version }> {
  const workflows = await tx.workflow.findMany({
    where: { campaignId, status: { in: ['published', 'paused'] }, ...(workflowId !== null && { id: workflowId }) },
    select: { id: true, publishedVersion: true },
    orderBy: { id: 'asc' },
    take: workflowsMax,
  });
  if (!workflows.length)
    throw failField(
      'workflowId',
      workflowId === null
        ? 'The campaign has no published workflow'
        : 'The workflow is not published; publish it before the test starts',
    );
  const wanted = workflows.flatMap(({ id, publishedVersion }) =>
    publishedVersion === null ? [] : [{ tenantId, environment, workflowId: id, number: publishedVersion }],
  );
  const versions = await readVersions(tx, wanted);
  const found = wanted.flatMap(({ workflowId: id, number }) => {
    const version = versions.get(`${id}/${number}`);
    if (!version) return [];
    return version.graph.nodes
      .filter((node) => node.type === 'email' && (nodeId === null || node.nodeId === nodeId))
      .map((node) => ({ workflowId: id, node, version }));
  });
  const [first, ...others] = found;
  if (!first) throw failField('nodeId', 'The published version has no such node of the type email');
  if (others.length || workflows.length === workflowsMax)
    throw failField('nodeId', 'There are several e-mail nodes; name one with workflowId and nodeId');
  return first;
}
