/**
 * Words that indicate the kind of a sentence, in the most common languages. They only add weight: sentences in
 * other languages are judged by form, position and names.
 */
function marker(spaced: string, dense = ""): RegExp {
  const words = String.raw`(?<![\p{L}\p{N}_])(?:${spaced})(?![\p{L}\p{N}_])`;
  return new RegExp(dense === "" ? words : `${words}|${dense}`, "iu");
}

const REASON = marker(
  "because|instead of|rather than|so that|root cause|the (?:real |actual )?(?:issue|problem|bug|cause|reason|fix|catch|culprit)|turns out|caused by|due to|therefore|trade-?off|decided|decision|chose|we(?:['’]ll| will) (?:use|keep|go)|i['’]d (?:go|keep|use|prefer|recommend)|not needed|no longer|by design|intentional|pre-?existing|which means|recommend" +
    "|weil|denn|anstatt|statt|deshalb|daher|ursache|grund|liegt daran|entschieden|entscheidung|stellt sich heraus|nicht mehr|empfehle" +
    "|porque|em vez de|portanto|por isso|causa|motivo|devido a|decidi(?:mos)?|decisão|recomendo" +
    "|en lugar de|por eso|debido a|decid(?:í|imos|ido)|decisión|recomiendo" +
    "|parce que|au lieu de|donc|à cause de|décid(?:é|ons)|décision|recommande",
  "因为|由于|原因|决定|改为|而不是|因此|所以|ため|ので|原因|代わりに|때문|потому|вместо|причина|решил",
);
const DEAD_END = marker(
  "didn['’]?t work|doesn['’]?t work|does not work|reverted?|reverting|wrong|failed|fails|still (?:fail(?:s|ing)?|broken|red)|not possible|can['’]?t be|blocked|flaky|hangs?|hanging|rejected|missed|malformed|broke|broken" +
    "|fehlgeschlagen|schlägt fehl|funktioniert nicht|geht nicht|falsch|kaputt|blockiert|zurückgenommen|abgelehnt" +
    "|falhou|falha|não funciona(?:ou)?|errado|quebrado|bloqueado|revertido|rejeitado|falló|no funciona|incorrecto|échou(?:e|é)|ne (?:marche|fonctionne) pas|cassé",
  "失败|不行|错误|无法|不能用|报错|失敗|エラー|실패|ошибк|не работает",
);
const RESULT = marker(
  "done|fixed|added|created|updated|removed|renamed|moved|implemented|committed|pushed|opened|merged|passes|passing|pass|green|all tests|clean|complete|completed|confirmed|verified|booked|refunded|cancell?ed|now (?:uses|works|returns|has)" +
    "|fertig|erledigt|behoben|hinzugefügt|erstellt|aktualisiert|entfernt|umbenannt|umgesetzt|grün|bestätigt|gebucht|storniert" +
    "|feito|pronto|corrigido|corrigi|adicionado|adicionei|criado|criei|atualizado|removido|implementado|confirmado|concluído|reservado|cancelado" +
    "|hecho|listo|corregido|añadido|creado|actualizado|eliminado|completado|fait|terminé|corrigé|ajouté|créé|supprimé",
  "完成|已修复|已添加|已创建|已更新|已删除|通过|成功|修正|追加|完了|완료|готово|исправлен|добавлен",
);
const PLAN = marker(
  "next(?: step)?|remaining|still (?:need|to|open|missing)|left to do|todo|follow-?up|then i['’]?ll|i['’]?ll|i will|i['’]m (?:going|now|updating|adding|fixing|running|moving)|let['’]?s|needs? to|should|want me to|waiting" +
    "|als nächstes|nächster? schritt|noch offen|fehlt noch|ich werde|müssen wir|soll ich" +
    "|próximo passo|próximos passos|falta|ainda|vou|preciso|devo|próximo paso|queda|voy a|prochaine étape|reste à|je vais",
  "下一步|接下来|还需要|剩下|待办|次に|残り|다음|следующ|осталось",
);
const OPEN = marker(
  "next steps?|next up|remaining|still (?:need|to|open|missing)|left to do|todo|follow-?ups?|not yet|deferred|out of scope" +
    "|als nächstes|nächste schritte|noch offen|fehlt noch|steht noch aus|noch nicht" +
    "|próximos? passos?|falta|ainda não|pendente|próximos? pasos?|pendiente|todavía no|prochaines? étapes?|reste à|pas encore",
  "下一步|接下来|还需要|剩下|尚未|待办|次は|残り|まだ|다음 단계|осталось",
);
const LOOK =
  /^(?:now )?(?:let me|i['’]ll|i['’]m going to|i['’]m|ich (?:schaue|prüfe|sehe|lese)|lass mich|vou|deixa-me|deixe-me|déjame|je vais|voy a) (?:now )?(?:also )?(?:check|look|read|see|search|find|examine|explore|view|inspect|open|take a|mark|start by|understand|mir|verificar|ver|olhar|ler|revisar|leer|regarder|lire|vérifier)|^(?:让我|我来|先)(?:看|检查|读|查)/iu;

const STANDING = marker(
  "(?<!(?:to|will|would|which|that|it|this|they|and|is|are|was|not|n['’]t|i['’]ve|i) )(?:always|never)|must(?:n['’]t| not)?(?! (?:have|be (?:so|very|really|great|hard|nice|fun)))|make sure(?! (?:i|we|they|these|those)(?!\\p{L}))|from now on|i(?:['’]d| would)? (?:prefer|rather)|no need|avoid|let['’]?s not|shouldn['’]?t|in future|going forward|(?:please |just )?only (?:use|do|if|when|commit|touch|change|write|edit)|keep (?:each|every|all|commits)|(?:answer|reply|respond|write|speak) (?:\\w+ )?in [\\p{L}]+|call me|my name is" +
    "|(?<=^|[-–—,;:(] ?|(?:please|and|but|also|so|we|you|just|then) )(?:don['’]?t|do not)(?! (?:know|think|see|understand|get|have|need|cause))" +
    "|nie(?:mals)?|immer|stets|auf keinen fall|keinesfalls|unbedingt|ab (?:jetzt|sofort)|von nun an|künftig|darfst? nicht|bitte nicht|bevorzuge|vermeide|antworte|ich heiße" +
    "|nunca|jamais|sempre|não (?:mexa|altere|toque|use|faça|apague|mude|modifique|envie|escreva|commite)|a partir de agora|prefiro|evite|responda|apenas (?:use|em)|só (?:use|em)|meu nome é" +
    "|jamás|siempre|no (?:toques|cambies|uses|hagas|borres|modifiques|envíes)|a partir de ahora|prefiero|evita|responde|me llamo" +
    "|toujours|ne \\p{L}+ (?:jamais|pas|plus)|désormais|dorénavant|préfère|évite|réponds|je m['’]appelle",
  "不要|不得|不准|别再|请勿|必须|务必|总是|始终|一律|只能|只用|从现在起|以后都|禁止|避免|永远|用[^，。]{1,6}回答|我叫|しないで|必ず|常に|絶対に|今後|항상|절대|반드시|하지 마|никогда|всегда|нельзя|обязательно|отвечай",
);
const RELEASE = marker(
  "may now|can now|you (?:may|can)|allowed|it['’]?s (?:ok|okay|fine) to|no longer (?:need|have|necessary)|forget (?:what|about|the)|ignore (?:what|my|the)|never ?mind|drop the|lift(?:ed)?|not necessary anymore" +
    "|darfst? (?:jetzt|nun|wieder)|musst nicht mehr|vergiss|ignoriere|nicht mehr nötig|agora pode|pode agora|esqueça|ignore|não precisa mais|ya puedes|olvida|no hace falta|tu peux maintenant|oublie",
  "现在可以|可以了|不用再|忘了|忽略|もう大丈夫|忘れて|이제 괜찮|теперь можно|забудь",
);
const UPDATE = marker(
  "now|from now on|updated?|changed?|moved|cut|raised|lowered|takes? over|switch(?:ed)?|renamed|rebased|rotated|replaced|new|instead|rather|anymore|no longer|correction|jetzt|ab sofort|neue[rsn]?|geändert|stattdessen|korrektur|agora|novo|nova|mudou|em vez|correção|ahora|nuev[oa]|cambi[óo]|maintenant|nouveau|nouvelle",
  "现在|改为|改成|更正|从现在起|今後|変更|теперь|новый",
);
const CORRECTION = marker(
  "instead|just remove|undo|wrong|correction|i meant|not what i|stattdessen|falsch|korrektur|ich meinte|errado|correção|em vez disso|quis dizer|incorrecto|corrección|en vez de|plutôt",
  "不对|改成|改为|更正|应该是|違う|исправ",
);
const OBJECTION =
  /^(?:no|nope|actually|wait|revert|don['’]?t|not|i don['’]?t|that['’]?s (?:wrong|not)|nein|doch nicht|eigentlich|não|na verdade|en realidad|non|en fait|нет|точнее|\[interrupted)(?![\p{L}\p{N}])|^(?:不|别|いや|아니)/iu;
const REPLY =
  /^(?:yes|no|y|n|ok|okay|sure|do(?! not)|go|yep|yeah|please|option|[0-9]|continue|proceed|next|both(?! \p{L})|all(?! \p{L})|sounds|great|good|thanks?|commit|correct|right|ja|nein|genau|weiter|mach|gut|danke|bitte|passt|sim|não|pode|continua|continue|segue|vai|beleza|certo|obrigad[oa]|sí|si|dale|sigue|continúa|vale|bien|gracias|oui|non|vas-y|d['’]accord|merci|да|нет|продолжай|хорошо|\[interrupted)(?![\p{L}\p{N}])|^(?:好|继续|是的?|不是?|可以|行|对|嗯|谢谢|はい|いいえ|続けて|네|아니|계속|좋아)/iu;

/** Whether a user's sentence is a standing instruction: it forbids, requires or prefers. */
export function isStanding(sentence: string): boolean {
  if (sentence.length >= 240 || /[?？]\s*$/.test(sentence)) return false;
  if (/^(?:can|could|why|how|what|im trying|i['’]m trying)(?!\p{L})/iu.test(sentence)) return false;
  return STANDING.test(sentence) && !/^[\w`]+\(|[{};]$/.test(sentence);
}

/** Whether a user withdraws something. */
export function isRelease(sentence: string): boolean {
  return RELEASE.test(sentence);
}

/** Whether a statement changes something from now on. */
export function isUpdate(text: string): boolean {
  return UPDATE.test(text) || isRelease(text);
}

/** Whether a user corrects something. */
export function isCorrection(text: string): boolean {
  return text.length < 600 && (OBJECTION.test(text) || CORRECTION.test(text));
}

/** Whether a short message only answers and requests nothing new. */
export function isReplyWord(text: string): boolean {
  return text.length < 45 && REPLY.test(text);
}

/** Whether a sentence says what is still to be done. */
export function isOpen(sentence: string): boolean {
  return OPEN.test(sentence) && !LOOK.test(sentence);
}

/** Whether an agent only announces that it will read something. */
export function isLook(sentence: string): boolean {
  return LOOK.test(sentence);
}

/** The worth of an agent's sentence for continuing: reasons and findings first, then results and plans; announcements are worth nothing. */
export function worthOf(sentence: string): number {
  let worth = 0;
  if (REASON.test(sentence)) worth += 3;
  if (DEAD_END.test(sentence)) worth += 2;
  if (RESULT.test(sentence)) worth += 2;
  if (PLAN.test(sentence)) worth += 1;
  if (/`|\d|\//.test(sentence)) worth += 0.5;
  if (LOOK.test(sentence)) worth -= 3;
  if (sentence.length < 34 && !/[`\p{sc=Han}]/u.test(sentence)) worth -= 3;
  if (/ \| .* \| /.test(sentence)) worth -= 1;
  // "Now let me fix the test:" announces a call.
  if (sentence.endsWith(":")) worth -= sentence.length < 200 ? 2.5 : 1.5;
  return worth;
}
