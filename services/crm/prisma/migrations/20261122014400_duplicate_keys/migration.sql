-- Keys of weaker matches. One statement for both, so that the table is rewritten once. An address without its +tag; Gmail
-- delivers to an address whatever dots it has. A name without case and accents, by the rules of the search.
ALTER TABLE "lead"
  ADD COLUMN "email_stem" TEXT GENERATED ALWAYS AS (
    CASE WHEN lower("email") ~ '@(gmail|googlemail)\.com$'
      THEN replace(split_part(regexp_replace(lower("email"), '^([^+@]+)\+[^@]*@', '\1@'), '@', 1), '.', '') || '@gmail.com'
      ELSE regexp_replace(lower("email"), '^([^+@]+)\+[^@]*@', '\1@') END) STORED,
  ADD COLUMN "name_stem" TEXT GENERATED ALWAYS AS (
    regexp_replace(translate(replace(replace(replace(replace(
      normalize(lower("first_name" || ' ' || "last_name"), NFKD), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      'øłđðı', 'olddi'), '[\u0300-\u036f]+', '', 'g')) STORED;

-- CreateIndex
CREATE INDEX "lead_tenant_id_environment_email_stem_id_idx" ON "lead"("tenant_id", "environment", "email_stem", "id");

-- CreateIndex
CREATE INDEX "lead_tenant_id_environment_name_stem_id_idx" ON "lead"("tenant_id", "environment", "name_stem", "id");

-- CreateIndex
CREATE INDEX "duplicate_pair_tenant_id_environment_second_lead_id_idx" ON "duplicate_pair"("tenant_id", "environment", "second_lead_id");
