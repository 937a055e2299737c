import type { leadData } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { eraseLead } from './erase-lead.ts';
import { exportLeadData, type PersonalDataPeers } from './export-lead-data.ts';

export const leadDataHandlers = (peers: PersonalDataPeers, ids: IdCodec) =>
  ({ eraseLead: eraseLead(ids), exportLeadData: exportLeadData(peers, ids) }) satisfies Handlers<typeof leadData, Tx>;
