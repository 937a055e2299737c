import type { GeneratedStatuses } from '@tandem/crm-contract';
import type { z } from 'zod';
import { type Variant, variantOf } from './variant.ts';

type Line = [code: string, name: string, color: string, category: Status['category'], description: string];

type Status = z.output<typeof GeneratedStatuses>['statuses'][number];

const nurturing: Line = [
  'nurturing',
  'Nurturing',
  'purple',
  'contacted',
  'Not ready to buy; receives occasional messages',
];

/**
 * Statuses of each variant in order, starting with a new lead. The codes differ from those of the default statuses,
 * which every tenant has.
 */
const lines: Record<Variant, readonly Line[]> = {
  real_estate: [
    ['new_inquiry', 'New inquiry', 'blue', 'new', 'Inquired about a property; not answered yet'],
    ['needs_clarified', 'Needs clarified', 'cyan', 'contacted', 'Budget, area and moving date are known'],
    ['viewing_scheduled', 'Viewing scheduled', 'yellow', 'contacted', 'A viewing is scheduled'],
    ['viewing_done', 'Viewing done', 'orange', 'contacted', 'Viewed a property; feedback requested'],
    ['financing_confirmed', 'Financing confirmed', 'green', 'qualified', 'Financing is confirmed'],
    nurturing,
    ['not_searching', 'No longer searching', 'gray', 'unqualified', 'Found another property or stopped searching'],
  ],
  recruiting: [
    ['new_applicant', 'New applicant', 'blue', 'new', 'Applied or was sourced; not contacted yet'],
    ['screening', 'Screening', 'cyan', 'contacted', 'Experience and expectations are being reviewed'],
    ['interview_scheduled', 'Interview scheduled', 'yellow', 'contacted', 'An interview is scheduled'],
    ['interviewed', 'Interviewed', 'orange', 'contacted', 'The interview took place'],
    ['shortlisted', 'Shortlisted', 'green', 'qualified', 'Selected to be proposed to the client'],
    ['talent_pool', 'Talent pool', 'purple', 'contacted', 'Qualified, but there is no suitable position yet'],
    ['rejected', 'Rejected', 'gray', 'unqualified', 'Not suitable, or withdrew the application'],
  ],
  insurance: [
    ['new_request', 'New request', 'blue', 'new', 'Requested insurance; not answered yet'],
    ['needs_analysis', 'Needs analysis', 'cyan', 'contacted', 'Risks and existing policies are being collected'],
    ['documents_pending', 'Documents pending', 'yellow', 'contacted', 'Documents for a quote are missing'],
    ['quote_ready', 'Ready for a quote', 'green', 'qualified', 'All information for a quote is available'],
    nurturing,
    ['not_insurable', 'Not insurable', 'gray', 'unqualified', 'Cannot be insured or declined'],
  ],
  events: [
    ['new_enquiry', 'New enquiry', 'blue', 'new', 'Inquired about an event; not answered yet'],
    ['brief_received', 'Brief received', 'cyan', 'contacted', 'Date, size and budget are known'],
    ['date_on_hold', 'Date on hold', 'yellow', 'contacted', 'A date is reserved for a few days'],
    ['site_visit', 'Site visit', 'orange', 'contacted', 'A visit to the venue is scheduled'],
    ['ready_to_book', 'Ready to book', 'green', 'qualified', 'Asked for an offer for a date'],
    ['next_season', 'Next season', 'purple', 'contacted', 'To be contacted again next season'],
    ['not_available', 'Not available', 'gray', 'unqualified', 'No suitable date or budget'],
  ],
  saas: [
    ['signed_up', 'Signed up', 'blue', 'new', 'Left an e-mail address or created an account'],
    ['trial_active', 'Trial active', 'cyan', 'contacted', 'Is using a free trial'],
    ['product_qualified', 'Product qualified', 'green', 'qualified', 'Uses the product like a paying customer'],
    ['demo_scheduled', 'Demo scheduled', 'yellow', 'contacted', 'A demo is scheduled'],
    nurturing,
    ['churned_trial', 'Trial ended', 'orange', 'contacted', 'The trial ended without a purchase'],
    ['not_a_fit', 'Not a fit', 'gray', 'unqualified', 'The product does not solve their problem'],
  ],
  generic: [
    ['incoming', 'Incoming', 'blue', 'new', 'New lead; not reviewed yet'],
    ['attempted', 'Contact attempted', 'cyan', 'contacted', 'Was contacted; no reply yet'],
    ['in_conversation', 'In conversation', 'yellow', 'contacted', 'Replies and asks questions'],
    ['sales_ready', 'Ready for sales', 'green', 'qualified', 'Has a need, a budget and a timeline'],
    nurturing,
    ['disqualified', 'Disqualified', 'gray', 'unqualified', 'Has no need or cannot buy'],
  ],
};

/** Lead statuses for a prompt when no AI provider is configured. */
export function statusTemplate(prompt: string): z.output<typeof GeneratedStatuses> {
  return {
    statuses: lines[variantOf(prompt)].map(([code, name, color, category, description], sortOrder) => ({
      code,
      name,
      description,
      color,
      category,
      sortOrder,
      isDefault: sortOrder === 0,
    })),
  };
}
