import type { FieldError } from '@tandem/contract';

/** Nodes and edges of a workflow. */
export interface Graph {
  nodes: readonly { nodeId: string }[];
  edges: readonly { edgeId: string; source: string; target: string }[];
}

/** Finds duplicate node and edge ids, and edges to missing nodes. */
export function structureErrors({ nodes, edges }: Graph): FieldError[] {
  const nodeIds = new Set(nodes.map(({ nodeId }) => nodeId));
  const unknownNode = 'Must be the nodeId of a node of this workflow';
  return [
    ...duplicateIndexes(nodes.map(({ nodeId }) => nodeId)).map((index) => ({
      field: `nodes.${index}.nodeId`,
      message: 'Must be unique; another node has this nodeId',
    })),
    ...duplicateIndexes(edges.map(({ edgeId }) => edgeId)).map((index) => ({
      field: `edges.${index}.edgeId`,
      message: 'Must be unique; another edge has this edgeId',
    })),
    ...edges.flatMap(({ source, target }, index) => [
      ...(nodeIds.has(source) ? [] : [{ field: `edges.${index}.source`, message: unknownNode }]),
      ...(nodeIds.has(target) ? [] : [{ field: `edges.${index}.target`, message: unknownNode }]),
    ]),
  ];
}

/** Indexes of repeated values. */
function duplicateIndexes(values: string[]): number[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [index];
    seen.add(value);
    return [];
  });
}
