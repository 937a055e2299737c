-- AlterTable
ALTER TABLE "form" ADD COLUMN     "ask_at_most" INTEGER;
