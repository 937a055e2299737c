-- DropIndex
DROP INDEX "commission_tenant_id_environment_opportunity_id_partner_id__key";

-- CreateIndex
CREATE UNIQUE INDEX "commission_tenant_id_environment_opportunity_id_partner_id__key" ON "commission"("tenant_id", "environment", "opportunity_id", "partner_id", "level", "type");

-- CreateIndex
CREATE UNIQUE INDEX "commission_tenant_id_environment_external_id_key" ON "commission"("tenant_id", "environment", "external_id");

-- What no release writes.
ALTER TABLE "commission"
  ADD CONSTRAINT "commission_amount" CHECK ("amount_minor" <> 0),
  ADD CONSTRAINT "commission_currency" CHECK ("currency" ~ '^[A-Z]{3}$'),
  ADD CONSTRAINT "commission_rate" CHECK ("rate" BETWEEN 0 AND 100),
  ADD CONSTRAINT "commission_level" CHECK ("level" >= 1);
ALTER TABLE "uncredited_deal"
  ADD CONSTRAINT "uncredited_deal_value" CHECK ("value_minor" > 0),
  ADD CONSTRAINT "uncredited_deal_currency" CHECK ("currency" ~ '^[A-Z]{3}$');
