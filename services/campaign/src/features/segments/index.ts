import type { segments } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createSegment } from './create-segment.ts';
import { deleteSegment } from './delete-segment.ts';
import { getSegment } from './get-segment.ts';
import { listSegmentLeads } from './list-segment-leads.ts';
import { listSegments } from './list-segments.ts';
import { updateSegment } from './update-segment.ts';

export const segmentHandlers = (tools: Pick<Tools, 'crm' | 'ids'>) =>
  ({
    createSegment: createSegment(tools),
    listSegments,
    getSegment,
    updateSegment: updateSegment(tools),
    deleteSegment: deleteSegment(tools),
    listSegmentLeads: listSegmentLeads(tools),
  }) satisfies Handlers<typeof segments, Tx>;
