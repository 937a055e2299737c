import type { GeneratedStatuses } from '@tandem/crm-contract';
import type { z } from 'zod';
import { type Variant, variantOf } from './variant.ts';

type Line = [code: string, name: string, color: string, description: string];

const nurturing: Line = ['nurturing', 'Nurturing', 'purple', 'Not ready yet; hears from us from time to time'];

/** Statuses of each variant in order, starting with a new lead. No code repeats a default status of every tenant. */
const lines: Record<Variant, readonly Line[]> = {
  real_estate: [
    ['new_inquiry', 'New inquiry', 'blue', 'Asked about a property and has not been answered'],
    ['needs_clarified', 'Needs clarified', 'cyan', 'Budget, area and time of moving are known'],
    ['viewing_scheduled', 'Viewing scheduled', 'yellow', 'A date for a viewing is agreed'],
    ['viewing_done', 'Viewing done', 'orange', 'Saw a property and was asked for an opinion'],
    ['financing_confirmed', 'Financing confirmed', 'green', 'Can pay for what is looked for'],
    nurturing,
    ['not_searching', 'No longer searching', 'gray', 'Found something else or gave up'],
  ],
  recruiting: [
    ['new_applicant', 'New applicant', 'blue', 'Applied or was found and has not been contacted'],
    ['screening', 'Screening', 'cyan', 'Experience and wishes are being checked'],
    ['interview_scheduled', 'Interview scheduled', 'yellow', 'A date for an interview is agreed'],
    ['interviewed', 'Interviewed', 'orange', 'The interview took place'],
    ['shortlisted', 'Shortlisted', 'green', 'Is among those to be proposed'],
    ['talent_pool', 'Talent pool', 'purple', 'Fits, but no position does at the moment'],
    ['rejected', 'Rejected', 'gray', 'Does not fit or has withdrawn'],
  ],
  insurance: [
    ['new_request', 'New request', 'blue', 'Asked for cover and has not been answered'],
    ['needs_analysis', 'Needs analysis', 'cyan', 'Risks and existing policies are being collected'],
    ['documents_pending', 'Documents pending', 'yellow', 'Papers for a quote are missing'],
    ['quote_ready', 'Ready for a quote', 'green', 'Everything a quote needs is there'],
    nurturing,
    ['not_insurable', 'Not insurable', 'gray', 'Cannot be covered or does not want to be'],
  ],
  events: [
    ['new_enquiry', 'New enquiry', 'blue', 'Asked about an event and has not been answered'],
    ['brief_received', 'Brief received', 'cyan', 'Date, size and budget are known'],
    ['date_on_hold', 'Date on hold', 'yellow', 'A date is kept free for some days'],
    ['site_visit', 'Site visit', 'orange', 'The venue is being looked at'],
    ['ready_to_book', 'Ready to book', 'green', 'Wants an offer for a date'],
    ['next_season', 'Next season', 'purple', 'To be asked again for the next season'],
    ['not_available', 'Not available', 'gray', 'No date or budget fits'],
  ],
  saas: [
    ['signed_up', 'Signed up', 'blue', 'Left an address or made an account'],
    ['trial_active', 'Trial active', 'cyan', 'Uses the product without paying'],
    ['product_qualified', 'Product qualified', 'green', 'Uses it as paying customers do'],
    ['demo_scheduled', 'Demo scheduled', 'yellow', 'A date for a demo is agreed'],
    nurturing,
    ['churned_trial', 'Trial ended', 'orange', 'The trial ended without a purchase'],
    ['not_a_fit', 'Not a fit', 'gray', 'The product does not solve the problem'],
  ],
  generic: [
    ['incoming', 'Incoming', 'blue', 'Came in and has not been looked at'],
    ['attempted', 'Contact attempted', 'cyan', 'Was called or written to without an answer'],
    ['in_conversation', 'In conversation', 'yellow', 'Answers and asks questions'],
    ['sales_ready', 'Ready for sales', 'green', 'Has a need, a budget and a time'],
    nurturing,
    ['disqualified', 'Disqualified', 'gray', 'Has no need or cannot buy'],
  ],
};

/** Lead statuses for a prompt when no AI provider is configured. */
export function statusTemplate(prompt: string): z.output<typeof GeneratedStatuses> {
  return {
    statuses: lines[variantOf(prompt)].map(([code, name, color, description], sortOrder) => ({
      code,
      name,
      description,
      color,
      sortOrder,
      isDefault: sortOrder === 0,
    })),
  };
}
