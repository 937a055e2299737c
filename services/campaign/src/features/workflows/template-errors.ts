import { nodeData } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import type { Tools, Tx } from '../../handler.ts';
import type { StoredGraph } from '../engine/graph.ts';
import type { TemplateVersions } from '../engine/versions.ts';
import { findTemplate } from '../templates/template.ts';

/**
 * The current versions of the templates that e-mail nodes name, by public id, and the nodes whose template cannot be
 * used: it must be an active one for e-mails.
 */
export async function readTemplateVersions(
  { ids }: Pick<Tools, 'ids'>,
  tx: Tx,
  tenantId: number,
  { nodes }: StoredGraph,
): Promise<{ templateVersions: TemplateVersions; errors: FieldError[] }> {
  const errors: FieldError[] = [];
  const templateVersions: Record<string, number> = {};
  for (const { nodeId, type, data } of nodes) {
    const code = type === 'email' ? nodeData.email.safeParse(data ?? {}).data?.templateId : undefined;
    if (code === undefined || templateVersions[code] !== undefined) continue;
    const id = ids.decode('template', tenantId, code);
    const template = id === undefined ? undefined : await findTemplate(tx, id);
    if (template?.channel === 'email' && template.status === 'active') templateVersions[code] = template.contentVersion;
    else
      errors.push({ field: `nodes.${nodeId}.templateId`, message: 'Must be the id of an active template for e-mails' });
  }
  return { templateVersions, errors };
}
