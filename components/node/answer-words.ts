import type { NodeSummary } from "@/server/contract/schemas";

/** The answer as the page's one sentence. */
export function answerSentence(node: Pick<NodeSummary, "name" | "answer">): string {
  const { state, atRisk, idle } = node.answer;
  if (state === "no") return `No. ${node.name} cannot start a pod now.`;
  if (state === "unknown") return `Unknown whether ${node.name} can start a pod now.`;
  if (atRisk) return `Yes, at risk. ${node.name} starts some pods now.`;
  if (idle) return `Yes, idle. ${node.name} could start a pod now.`;
  return `Yes. ${node.name} can start a pod now.`;
}

const ROW_WORDS: Readonly<Record<number, string>> = {
  1: "Every source that an answer could rest on is stale",
  2: "Something that stops every pod is measured now",
  3: "Pods are stuck, and none became ready since they began to wait, or none for ten minutes",
  4: "Pods are stuck while others start",
  5: "A sandbox became ready within ten minutes, and no pod is stuck",
};

/** Why the answer is what it is: the row of docs/use/answer.md that matched, in words. */
export function rowWords(answer: Pick<NodeSummary["answer"], "row" | "state">): string {
  const words = ROW_WORDS[answer.row];
  if (words !== undefined) return words;
  return answer.state === "yes" ? "Nothing was tried lately, and everything that can be looked at holds" : "Nothing proves a start, and something does not hold or cannot be looked at";
}
