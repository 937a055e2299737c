-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "partner_noted_at" TIMESTAMPTZ(3);
