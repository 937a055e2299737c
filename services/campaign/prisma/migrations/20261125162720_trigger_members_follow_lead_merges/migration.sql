-- AlterTable
ALTER TABLE "trigger_member" ADD COLUMN     "merged_from_lead_id" BIGINT;

-- A member that is stored for a lead that was merged meanwhile is the lead that remains.
CREATE TRIGGER "trigger_member_of_merged_lead" BEFORE INSERT ON "trigger_member" FOR EACH ROW
  EXECUTE FUNCTION platform.follow_merged_lead();
