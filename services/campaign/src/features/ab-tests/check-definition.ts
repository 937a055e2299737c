import { type nodeData, WorkflowNode } from '@tandem/campaign-contract';
import { type FieldError, unknownId } from '@tandem/contract';
import { fail, storedObject } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { syntaxErrors } from '../templates/render.ts';
import type { AbTestRecord, VariantRecord } from './ab-test.ts';

export type Definition = Pick<
  AbTestRecord,
  'campaignId' | 'target' | 'workflowId' | 'nodeId' | 'landingPageId' | 'variants' | 'metric'
>;

type Change = 'templateId' | 'subjectLine' | 'at' | 'landingPageVersion' | 'landingPageId';

const changesOf: Readonly<Record<Definition['target'], readonly Change[]>> = {
  subject: ['subjectLine'],
  template: ['templateId'],
  send_time: ['at'],
  landing_page: ['landingPageVersion', 'landingPageId'],
};
const ofPagesOnly = 'Applies only to landing pages; omit it or set it to null';
const ofMailsOnly = 'Applies only to e-mails; omit it or set it to null';
const storedNodes = z.array(WorkflowNode.extend({ data: storedObject.optional() }));

/** Fails with 422 unless the parts of a test fit together, and the records that it names exist in its campaign. */
export async function checkDefinition(tx: Tx, test: Definition): Promise<void> {
  const errors = [
    ...shapeErrors(test),
    ...test.variants.flatMap((variant, index) => variantErrors(test, variant, index)),
  ];
  if (errors.length) throw fail('validation_failed', errors);
  const missing = test.target === 'landing_page' ? await pageErrors(tx, test) : await nodeErrors(tx, test);
  if (missing.length) throw fail('validation_failed', missing);
}

function shapeErrors({ target, workflowId, nodeId, landingPageId, variants, metric }: Definition): FieldError[] {
  const errors: FieldError[] = [];
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  if (Math.abs(total - 100) > 0.01)
    errors.push({ field: 'variants', message: `The weights must add up to 100; they add up to ${total}` });
  if (variants.filter((variant) => !variant.override && changesIn(variant).length === 0).length > 1)
    errors.push({
      field: 'variants',
      message: 'Only one variant can be the original; the others must change something',
    });
  for (const [index, { key }] of variants.entries())
    if (variants.findIndex((one) => one.key === key) !== index)
      errors.push({ field: `variants.${index}.key`, message: 'Must be unique; another variant has this key' });
  if (target === 'landing_page') {
    if (workflowId !== null) errors.push({ field: 'workflowId', message: ofMailsOnly });
    if (nodeId !== null) errors.push({ field: 'nodeId', message: ofMailsOnly });
    if (landingPageId === null) errors.push({ field: 'landingPageId', message: 'Is required for landing pages' });
    if (metric !== 'conversion')
      errors.push({ field: 'metric', message: 'Must be conversion for landing pages: the submissions of their form' });
    return errors;
  }
  if (landingPageId !== null) errors.push({ field: 'landingPageId', message: ofPagesOnly });
  if (nodeId !== null && workflowId === null)
    errors.push({ field: 'workflowId', message: 'Is required with nodeId: the workflow that has the node' });
  return errors;
}

function changesIn({ templateId, override = {} }: VariantRecord): Change[] {
  const { subjectLine, at, landingPageVersion, landingPageId } = override;
  const values = { templateId, subjectLine, at, landingPageVersion, landingPageId };
  return (Object.keys(values) as Change[]).filter((change) => values[change] !== undefined);
}

function variantErrors({ target }: Definition, variant: VariantRecord, index: number): FieldError[] {
  const known = changesOf[target];
  const changes = changesIn(variant);
  const fieldOf = (change: Change) => `variants.${index}.${change === 'templateId' ? change : `override.${change}`}`;
  const errors = changes
    .filter((change) => !known.includes(change))
    .map((change) => ({
      field: fieldOf(change),
      message: `Does not apply to ${target} tests; use ${known.join(' or ')}`,
    }));
  // Fields of another place are ignored like all unknown ones, and must not make a variant the original by accident.
  if (variant.override && changes.every((change) => change === 'templateId'))
    errors.push({
      field: `variants.${index}.override`,
      message:
        target === 'template'
          ? 'Must be omitted; a variant of a template test has templateId beside its key'
          : `Must have ${known.join(' or ')}; omit override for the original`,
    });
  if (changes.length > 1 && !errors.length)
    errors.push({ field: `variants.${index}.override`, message: `Must have only one of ${known.join(' and ')}` });
  const { subjectLine } = variant.override ?? {};
  if (subjectLine !== undefined)
    for (const { message } of syntaxErrors({
      subject: subjectLine,
      preheader: null,
      html: null,
      text: null,
    }))
      errors.push({ field: fieldOf('subjectLine'), message });
  return errors;
}

async function nodeErrors(tx: Tx, { campaignId, workflowId, nodeId, variants }: Definition): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const [index, { templateId }] of variants.entries()) {
    if (templateId === undefined) continue;
    const template = await tx.template.findFirst({ where: { id: templateId }, select: { channel: true } });
    const field = `variants.${index}.templateId`;
    if (!template) errors.push({ field, message: unknownId('template') });
    else if (template.channel !== 'email') errors.push({ field, message: 'Must be a template for e-mails' });
  }
  if (workflowId === null) return errors;
  const workflow = await tx.workflow.findFirst({ where: { id: workflowId, deletedAt: null } });
  if (!workflow) return [...errors, { field: 'workflowId', message: unknownId('workflow') }];
  if (workflow.campaignId !== campaignId)
    return [...errors, { field: 'workflowId', message: 'Must be a workflow of this campaign' }];
  if (nodeId === null) return errors;
  const number = workflow.publishedVersion;
  const version = number === null ? null : await tx.workflowVersion.findFirst({ where: { workflowId, number } });
  const nodes = [...storedNodes.parse(workflow.nodes), ...(version ? storedNodes.parse(version.nodes) : [])];
  const type: keyof typeof nodeData = 'email';
  if (!nodes.some((node) => node.nodeId === nodeId && node.type === type))
    errors.push({ field: 'nodeId', message: 'The workflow has no node of the type email with this nodeId' });
  return errors;
}

async function pageErrors(tx: Tx, { campaignId, landingPageId, variants }: Definition): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  const check = async (id: number, field: string) => {
    const page = await tx.landingPage.findFirst({ where: { id }, select: { campaignId: true } });
    if (!page) errors.push({ field, message: unknownId('landing_page') });
    else if (page.campaignId !== campaignId) errors.push({ field, message: 'Must be a page of this campaign' });
  };
  if (landingPageId === null) return errors;
  await check(landingPageId, 'landingPageId');
  for (const [index, { override }] of variants.entries()) {
    const { landingPageId: other, landingPageVersion: number } = override ?? {};
    const field = `variants.${index}.override`;
    if (other === landingPageId)
      errors.push({
        field: `${field}.landingPageId`,
        message: 'Must be another page; use landingPageVersion for this one',
      });
    else if (other !== undefined) await check(other, `${field}.landingPageId`);
    if (number !== undefined && !(await tx.landingPageVersion.count({ where: { landingPageId, number } })))
      errors.push({ field: `${field}.landingPageVersion`, message: 'The page has no version with this number' });
  }
  return errors;
}
