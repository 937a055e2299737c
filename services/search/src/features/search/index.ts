import type { searches } from '@tandem/search-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { autocomplete } from './autocomplete.ts';
import { searchAll } from './search-all.ts';
import { searchDocuments } from './search-documents.ts';
import { searchLeads } from './search-leads.ts';
import { searchOpportunities } from './search-opportunities.ts';
import { searchPartners } from './search-partners.ts';

export const searchHandlers = (tools: Tools) =>
  ({
    searchLeads: searchLeads(tools),
    searchOpportunities: searchOpportunities(tools),
    searchPartners: searchPartners(tools),
    searchDocuments: searchDocuments(tools),
    searchAll: searchAll(tools),
    autocomplete: autocomplete(tools),
  }) satisfies Handlers<typeof searches, Tx>;
