import { commissions, partners } from '@tandem/partner-contract';
import { recordPagesHandler } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { listCommissions } from '../commissions/list-commissions.ts';
import { listPartners } from './list-partners.ts';

/** The lists of partner that other services export. */
export const readRecordPage = (tools: Tools) =>
  recordPagesHandler([
    { row: partners.listPartners, handler: listPartners },
    { row: commissions.listCommissions, handler: listCommissions(tools) },
  ]);
