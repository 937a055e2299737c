import { fragment } from '@tandem/tenant-db';

/** The conditions on search results. A document must belong to one of `owners`. */
export interface Filter {
  status?: string | undefined;
  source?: string | undefined;
  stage?: string | undefined;
  tier?: string | undefined;
  currency?: string | undefined;
  assignedTo?: string | undefined;
  minScore?: number | undefined;
  minValue?: number | undefined;
  maxValue?: number | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
  owners?: string[] | undefined;
}

/** The columns of a filter that is read from JSON. */
export const filterColumns = fragment`status text, source text, stage text, tier text, currency text, "assignedTo" text,
        "minScore" float, "minValue" float, "maxValue" float, "createdFrom" timestamptz, "createdTo" timestamptz, owners text[]`;

/** The conditions of the filter `given` on a `document`; what is not given matches everything. */
export const passesFilter = fragment`AND (given.status IS NULL OR document.status = given.status)
          AND (given.source IS NULL OR document.source = given.source)
          AND (given.stage IS NULL OR document.stage = given.stage)
          AND (given.tier IS NULL OR document.tier = given.tier)
          AND (given.currency IS NULL OR document.currency = given.currency)
          AND (given."assignedTo" IS NULL OR document.assigned_to = given."assignedTo")
          AND (given."minScore" IS NULL OR document.score >= given."minScore")
          AND (given."minValue" IS NULL OR document.value >= given."minValue")
          AND (given."maxValue" IS NULL OR document.value <= given."maxValue")
          AND (given."createdFrom" IS NULL OR document.created_at >= given."createdFrom")
          AND (given."createdTo" IS NULL OR document.created_at <= given."createdTo")
          AND (given.owners IS NULL OR document.owners && given.owners)`;
