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
  /** Public ids of users and teams; undefined when the caller may read the records of everybody. */
  owners?: string[] | undefined;
}
